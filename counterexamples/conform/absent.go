package conform

import "strings"

// absentMark is how a recording says, in a comment, which events its recorder
// could not record.
const absentMark = "# cilcheck: not recorded:"

// KindSet is a set of kinds.
type KindSet uint64

// Has reports whether a kind is in the set.
func (s KindSet) Has(k Kind) bool { return s&(1<<k) != 0 }

// Essential reports whether Check cannot follow a recording without the events
// of a kind: something begins with them. All others can be absent (hidden steps).
func (k Kind) Essential() bool {
	switch k {
	case LogForce, LogForceSeq, CilFlush, QueueWork, ExecuteStart, IclogSyncDone:
		return true
	}
	return false
}

// absent reads the kinds that a comment names after the mark.
func absent(list string) (s KindSet) {
	for name := range strings.FieldsSeq(list) {
		if k := kindByName[name]; k != Other {
			s |= 1 << k
		}
	}
	return s
}
