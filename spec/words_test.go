package spec

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSchedulers(t *testing.T) {
	for _, s := range []string{"any", "cooperative(1)", "cooperative(16)", "priority"} {
		got, err := ParseScheduler(s)
		if err != nil || got.String() != s {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"cooperative(0)", "cooperative(17)", "cooperative(02)", "cooperative(2", "cooperative()", "cooperative(-1)"} {
		_, err := ParseScheduler(s)
		if want := `scheduler "` + s + `": expected cooperative(n) with n CPUs, 1 to 16`; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
	_, err := ParseScheduler("all")
	if want := `unknown scheduler "all": expected any, cooperative(n) or priority`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestWords(t *testing.T) {
	for size := range NumSizes {
		if got, err := ParseSize(size.String()); got != size || err != nil {
			t.Errorf("%v: %v, %v", size, got, err)
		}
	}
	for _, end := range []End{EndDone, EndFrozen, EndThrottled} {
		if got, err := ParseEnd(end.String()); got != end || err != nil {
			t.Errorf("%v: %v, %v", end, got, err)
		}
	}
	_, err := ParseSize("chek")
	if want := `unknown size "chek": did you mean "check"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ParseEnd("stuck")
	if want := `unknown end "stuck": expected done, frozen or throttled-after-shutdown`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for got, want := range map[string]string{
		Size(7).String():              "Size(7)",
		End(7).String():               "End(7)",
		Scheduler{Policy: 7}.String(): "Scheduler(7)",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDistance compares with the recursive definition.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b[1:]), slow(a[1:], b), slow(a, b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		got, want := Distance(a, b), slow(a, b)
		if got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
	if got := hint("x", []string{"abc"}); !strings.HasSuffix(got, "expected abc") {
		t.Error(got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 searches", 1: "1 search", 2: "2 searches", -1: "-1 searches"} {
		if got := Count(n, "search", "searches"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
