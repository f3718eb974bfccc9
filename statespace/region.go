package statespace

// hugePage is the size of a huge page, and hugeWords that in words.
const (
	hugePage  = 2 << 20
	hugeWords = hugePage / 8
)

// bytes is the memory of the region.
func (r *region) bytes() int64 { return 8 * int64(len(r.words)) }

// growth is the memory that extend adds while it works: where the region cannot
// grow in place, that of a copy.
func (r *region) growth(words int) int64 {
	if words <= cap(r.words) {
		return 8 * int64(words-len(r.words))
	}
	return 8 * int64(words)
}

// regionGrowth is what growth mostly is of a region that was enlarged step by step.
func regionGrowth(from, to int) int64 {
	if from >= growsInPlace {
		return 8 * int64(to-from)
	}
	return 8 * int64(to)
}
