//go:build race || !(amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package statespace

import "sync/atomic"

// storeSlot writes a slot that others may be reading.
func storeSlot(p *uint64, x uint64) { atomic.StoreUint64(p, x) }
