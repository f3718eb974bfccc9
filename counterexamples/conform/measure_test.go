package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhatMachinesDid: exact counts of recordings, taken with grep and by hand.
func TestWhatMachinesDid(t *testing.T) {
	for name, want := range map[string]Stats{
		"6.12-nf-full-smp1-t1":    {Forces: 60, Pushes: 60, TotalSpun: 429},
		"6.12-nf-full-smp2-t2":    {Forces: 80, Pushes: 71, TotalSpun: 9864, TotalSlept: 45},
		"6.12-stock-full-smp1-t1": {Forces: 160, Pushes: 160, TotalSpun: 89, TotalWaited: 89, TotalIdle: 160},
		"6.12-nfb-none-smp2-t4":   {Forces: 238, Pushes: 155, TotalSpun: 1, TotalSlept: 202, TotalWaited: 210, TotalIdle: 49},
		"6.12-stock-voluntary-smp1-bg-create-m2-slowfsync": {Forces: 24, Pushes: 22, Background: 6, TotalSpun: 10,
			TotalSlept: 8, TotalWaited: 32, TotalIdle: 23},
	} {
		got := measure(t, name, nil)
		for _, c := range []struct {
			what      string
			got, want int
		}{
			{"forces", got.Forces, want.Forces}, {"pushes", got.Pushes, want.Pushes},
			{"spun", got.TotalSpun, want.TotalSpun}, {"slept", got.TotalSlept, want.TotalSlept},
			{"waited", got.TotalWaited, want.TotalWaited}, {"idle", got.TotalIdle, want.TotalIdle},
			{"background", got.Background, want.Background}, {"unfinished", got.Unfinished, 0},
			{"starts out of order", got.StartOrder, 0}, {"commits out of order", got.CommitOrder, 0},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s %d, want %d", name, c.what, c.got, c.want)
			}
		}
	}
}

func measure(t *testing.T, name string, each func(*Force) error) *Stats {
	t.Helper()
	r, err := Open(filepath.Join("testdata", name+".trace.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	s, err := Measure(r, each)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestForceTimesAddUp(t *testing.T) {
	var buf bytes.Buffer
	rows := NewForceCSV(&buf)
	s := measure(t, "7.2-stock-lazy-smp2-t2", func(f *Force) error {
		if in := f.InFlush + f.InWait + f.InTurns + f.InIclog; in != f.Time {
			t.Errorf("line %d: parts are %d of %d", f.Line, in, f.Time)
		}
		return rows.Write(f)
	})
	if err := rows.Flush(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(buf.String(), "\n"); lines != s.Forces+1 {
		t.Errorf("%d lines of csv for %d forces", lines, s.Forces)
	}
}

func TestStatsOutput(t *testing.T) {
	s := measure(t, "6.12-nf-full-smp1-t1", nil)
	var table, hist bytes.Buffer
	us := Scale{TicksPerMicrosecond: 2596}
	if err := errors.Join(WriteTable(&table, []*Stats{s}, us), s.WriteDistributions(&table, us)); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteHistograms(&hist); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "queue to start") || !strings.Contains(hist.String(), "####") {
		t.Errorf("%s\n%s", table.String(), hist.String())
	}
	text, err := json.Marshal(s)
	if err != nil || !bytes.Contains(text, []byte(`"spun_per_force":{"count":60,`)) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestDistAgainstSorting compares quantiles with those of the sorted numbers.
func TestDistAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var d Dist
		n := 1 + rng.IntN(2000)
		all := make([]uint64, n)
		for i := range all {
			all[i] = rng.Uint64() >> rng.IntN(64)
			d.Add(all[i])
		}
		slices.Sort(all)
		for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
			rank := int(q * float64(n))
			if float64(rank) < q*float64(n) {
				rank++
			}
			want, got := all[max(rank, 1)-1], d.Quantile(q)
			if got < want || float64(got) > float64(want)*(1+1./32) {
				t.Errorf("n %d q %g: %d, want %d", n, q, got, want)
			}
		}
	}
	if (&Dist{}).Quantile(0.5) != 0 {
		t.Error("quantile of nothing")
	}
}
