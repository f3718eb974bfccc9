//go:build !race && (amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package statespace

// storeSlot writes a slot that others may be reading. They cope with every value
// that was ever there, in any order, and a 64-bit processor writes a word at
// once; an atomic store would also wait for the cache line, which costs a search
// by two workers half its speed.
func storeSlot(p *uint64, x uint64) { *p = x }
