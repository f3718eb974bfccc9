//go:build linux && !race

package statespace

import (
	"runtime"
	"syscall"
	"unsafe"
)

const (
	madvHugePage = 14      // MADV_HUGEPAGE, which package syscall does not name
	mappedWords  = 1 << 13 // smaller tables come from the heap
	reserved     = 1 << 36 // bytes of address space for a table that grows
	growsInPlace = mappedWords
)

// A region is memory for a large table, outside the heap: it is zero, costs
// what was touched of it, and goes back to the kernel when it is released, or
// when nobody refers to the region any more.
type region struct {
	words   []uint64 // its capacity is address space that costs nothing
	mapped  []byte
	huge    bool // pages were asked for
	cleanup runtime.Cleanup
}

// newRegion returns memory for so many words.
func newRegion(words int) *region {
	if words >= mappedWords {
		if r := mapRegion(words, 8*words); r != nil {
			return r
		}
	}
	return &region{words: make([]uint64, words)}
}

// mapRegion maps a region of so many words, with address space for size bytes;
// it returns nil if the kernel refuses.
func mapRegion(words, size int) *region {
	slack := 0
	if size >= hugePage {
		slack = hugePage // it lets the table start at a huge page
	}
	mapped, err := syscall.Mmap(-1, 0, size+slack, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	start := uintptr(0)
	if slack > 0 {
		start = -uintptr(unsafe.Pointer(unsafe.SliceData(mapped))) & (hugePage - 1)
	}
	r := &region{mapped: mapped, words: unsafe.Slice((*uint64)(unsafe.Pointer(&mapped[start])), size/8)[:words]}
	r.adviseHuge()
	r.cleanup = runtime.AddCleanup(r, unmap, mapped)
	return r
}

// adviseHuge asks for huge pages, once the region is large: look-ups are random,
// and with small pages most of them also miss the translation cache. That is
// advice: a kernel that declines changes nothing but the speed.
func (r *region) adviseHuge() {
	if r.huge || len(r.words) < hugeWords {
		return
	}
	r.huge = true
	at := uintptr(unsafe.Pointer(unsafe.SliceData(r.words)))
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, uintptr(8*cap(r.words))&^(hugePage-1), madvHugePage)
}

func unmap(mapped []byte) { _ = syscall.Munmap(mapped) }

// extend makes a region larger: in place, unless it comes from the heap.
func (r *region) extend(words int) {
	if words <= cap(r.words) {
		r.words = r.words[:words]
		r.adviseHuge()
		return
	}
	var larger *region
	if words >= mappedWords {
		larger = mapRegion(words, max(reserved, 16*words))
	}
	if larger == nil {
		larger = newRegion(words)
	}
	copy(larger.words, r.words)
	r.release()
	if larger.mapped != nil {
		larger.cleanup.Stop()
		r.cleanup = runtime.AddCleanup(r, unmap, larger.mapped)
	}
	r.words, r.mapped, r.huge = larger.words, larger.mapped, larger.huge
}

// release gives the memory back; the words must not be used any more.
func (r *region) release() {
	if r.mapped != nil {
		r.cleanup.Stop()
		unmap(r.mapped)
	}
	r.words, r.mapped = nil, nil
}
