package statespace

// hugePage is the size of a huge page, and hugeWords that in words.
const (
	hugePage  = 2 << 20
	hugeWords = hugePage / 8
)

// bytes is the memory of the region.
func (r *region) bytes() int64 { return 8 * int64(len(r.words)) }

// regionGrowth is the memory that extend adds, while it works, to a region that was
// enlarged step by step: where it cannot grow in place, that of a copy.
func regionGrowth(from, to int) int64 {
	if from >= growsInPlace {
		return 8 * int64(to-from)
	}
	return 8 * int64(to)
}
