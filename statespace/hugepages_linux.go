package statespace

import (
	"syscall"
	"unsafe"
)

const (
	hugePage       = 2 << 20
	madvHugePage   = 14 // MADV_HUGEPAGE, which package syscall does not name
	worthHugePages = hugePage / 8
)

// adviseHuge asks for huge pages under a table before it is first touched:
// lookups are random, and with small pages most of them also miss the
// translation cache. Chunks are smaller than a huge page but lie side by side
// in the heap, so the range is rounded outwards; what else lies there gets the
// same advice. It is advice: a kernel that declines changes nothing but the
// speed.
func adviseHuge(words []uint64) {
	size := uintptr(cap(words)) * 8
	if size < worthHugePages {
		return
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(words)))
	end := (start + size + hugePage - 1) &^ (hugePage - 1)
	start &^= hugePage - 1
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, madvHugePage)
}
