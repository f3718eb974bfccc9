package conform

import (
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// Dist is a distribution of non-negative numbers in bounded memory: exact up to
// 64, above with a relative error of at most 1/32. The zero value is empty.
type Dist struct {
	Count uint64
	Sum   uint64
	Max   uint64

	buckets [distBuckets]uint64
}

const (
	distExact   = 64 // numbers below have a bucket each
	distPerPow  = 32 // buckets for each power of two above
	distBuckets = distExact + (64-6)*distPerPow
)

// Add adds a number.
func (d *Dist) Add(v uint64) {
	d.Count++
	d.Sum += v
	d.Max = max(d.Max, v)
	d.buckets[bucketOf(v)]++
}

func bucketOf(v uint64) int {
	if v < distExact {
		return int(v)
	}
	pow := bits.Len64(v) - 1 // at least 6
	return distExact + (pow-6)*distPerPow + int(v>>(pow-5))&(distPerPow-1)
}

// bucketTop is the largest number of a bucket.
func bucketTop(b int) uint64 {
	if b < distExact {
		return uint64(b)
	}
	b -= distExact
	pow, sub := b/distPerPow+6, uint64(b%distPerPow)
	return (distPerPow+sub+1)<<(pow-5) - 1
}

// Quantile is the smallest number that at least the share q of all does not
// exceed; 0 if there are none.
func (d *Dist) Quantile(q float64) uint64 {
	if d.Count == 0 {
		return 0
	}
	need := uint64(q * float64(d.Count))
	if float64(need) < q*float64(d.Count) {
		need++
	}
	var seen uint64
	for b, n := range d.buckets {
		if seen += n; n > 0 && seen >= need {
			return min(bucketTop(b), d.Max)
		}
	}
	return d.Max
}

// Mean is the arithmetic mean; 0 if there are none.
func (d *Dist) Mean() float64 {
	if d.Count == 0 {
		return 0
	}
	return float64(d.Sum) / float64(d.Count)
}

// Histogram writes the distribution as bars, one for each power of two.
func (d *Dist) Histogram(w io.Writer, unit string) error {
	var counts [65]uint64
	for b, n := range d.buckets {
		if n > 0 {
			counts[bits.Len64(bucketTop(b))] += n
		}
	}
	most, first, last := uint64(0), len(counts), -1
	for i, n := range counts {
		if most = max(most, n); n > 0 {
			first, last = min(first, i), i
		}
	}
	const width = 40
	for i := first; i <= last; i++ {
		top := "0"
		if i > 0 {
			top = fmt.Sprint(uint64(1)<<i - 1)
		}
		bar := strings.Repeat("#", int((counts[i]*width+most-1)/most))
		if _, err := fmt.Fprintf(w, "  <= %20s %-5s %8d %s\n", top, unit, counts[i], bar); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON gives the count, mean, quantiles and maximum.
func (d *Dist) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"count":%d,"mean":%.3f,"p50":%d,"p90":%d,"p99":%d,"p99.9":%d,"max":%d}`,
		d.Count, d.Mean(), d.Quantile(0.5), d.Quantile(0.9), d.Quantile(0.99), d.Quantile(0.999), d.Max), nil
}
