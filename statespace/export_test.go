package statespace

// SetBlock makes workers take n states at once, a power of two up to 256, so that
// even a small search has blocks for all of them.
func SetBlock[S any](o *Options[S], n int) { o.block = n }
