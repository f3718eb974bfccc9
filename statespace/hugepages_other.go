//go:build !linux

package statespace

// adviseHuge does nothing where huge pages are not for the asking.
func adviseHuge([]uint64) {}
