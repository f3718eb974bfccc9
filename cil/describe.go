package cil

import "fmt"

// FunctionName is the kernel function that a program counter is in; "" for the
// bookkeeping of scripts.
func FunctionName(pc Label) string {
	if pc < numLabels {
		return labels[pc].name
	}
	return ""
}

var iclogStateNames = []string{"ACTIVE", "WANT_SYNC", "SYNCING", "DONE_SYNC", "CALLBACK", "DIRTY", "IOERROR"}
var stabilityNames = []string{"unwritten", "in flight", "cached", "stable"}
var lifeNames = []string{"none", "live", "freed"}
var cpuNames = names("cpu%d", MaxListCPUs)
var bufferNames = names("buffer%d", MaxBuffers)

// names are numbered names.
func names(format string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

// A Base is the absolute number of the oldest checkpoint and the oldest log
// write of a state: traces count from the first of each, as the kernel does.
// The zero Base shows relative numbers as they are.
type Base struct {
	Seq, LSN int
}

// FirstBase is the Base of an initial state: sequences and LSNs start at 1.
var FirstBase = Base{Seq: 1, LSN: 1}

// Text is a field's value for people: names for codes, absolute numbers for
// sequences and LSNs.
func (m *Machine) Text(f *Field, v uint8, b Base) string {
	switch f.Kind {
	case KindSeq:
		return relative(v, b.Seq)
	case KindLSN:
		if v == m.nullLSN && f.Group == GroupTask {
			return "NULLCOMMITLSN"
		}
		return relative(v, b.LSN)
	case KindIclogState:
		return iclogStateNames[v]
	case KindStability:
		return stabilityNames[v]
	case KindLife:
		return lifeNames[v]
	case KindLabel:
		if name := FunctionName(v); name != "" {
			return name
		}
		return map[Label]string{pcDone: "done", pcIdle: "idle"}[v]
	case KindWait:
		return m.waitName(v)
	case KindIclogRef:
		return numbered(v, "iclog%d")
	case KindCtxRef:
		if v == NoSeq {
			return "none"
		}
		return "ctx " + relative(v, b.Seq)
	case KindCPUs:
		return flagNames(v, cpuNames)
	case KindBufs:
		return flagNames(v, bufferNames)
	case KindTaskRef:
		if v == 0 {
			return "none"
		}
		return m.TaskName(int(v - 1))
	case KindIclogFlags:
		return flagNames(v, []string{"NEED_FLUSH", "NEED_FUA"})
	case KindArgs:
		return flagNames(v, []string{"async", "sync", "io_error", "started"})
	case KindLocals:
		return flagNames(v, []string{"EIO", "already_slept", "log_flushed", "slept", "stable", "commit record", "ran callbacks", "abort"})
	}
	return fmt.Sprint(v)
}

// relative shows a relative number as the absolute one that it stands for.
func relative(v uint8, base int) string {
	switch {
	case v == NoSeq:
		return "0"
	case v == GoneSeq:
		return "old"
	}
	return fmt.Sprint(int(v-FirstSeq) + base)
}

func numbered(v uint8, format string) string {
	if v == 0 {
		return "none"
	}
	return fmt.Sprintf(format, v-1)
}

func flagNames(v uint8, names []string) string {
	text := ""
	for i, name := range names {
		if v&(1<<i) != 0 {
			if text != "" {
				text += "|"
			}
			text += name
		}
	}
	if text == "" {
		return "none"
	}
	return text
}

// waitName is the kernel's name of what a task sleeps on.
func (m *Machine) waitName(w wait) string {
	switch {
	case w == waitGrant:
		return "log space"
	case w == waitAILEmpty:
		return "xa_ail_empty"
	case w >= waitUnpin:
		return fmt.Sprintf("the unpin of buffer%d", w-waitUnpin)
	case w >= waitBuf:
		return fmt.Sprintf("the lock of buffer%d", w-waitBuf)
	case w >= waitSema:
		return fmt.Sprintf("ic_sema of iclog%d", w-waitSema)
	case w >= waitWrite:
		return fmt.Sprintf("ic_write_wait of iclog%d", w-waitWrite)
	case w >= waitForce:
		return fmt.Sprintf("ic_force_wait of iclog%d", w-waitForce)
	}
	return [...]string{
		"nothing", "xc_push_wait", "xc_start_wait", "xc_commit_wait", "l_flush_wait",
		"the flush of xc_push_wq", "xc_ctx_lock (read)", "xc_ctx_lock (write)", "xc_push_lock", "l_icloglock",
	}[w]
}

// ObjectName is the kernel's name of the object that a field belongs to.
func (m *Machine) ObjectName(f *Field, b Base) string {
	switch f.Group {
	case GroupCtx:
		return fmt.Sprintf("ctx %d", f.Index+b.Seq)
	case GroupWork:
		return fmt.Sprintf("push_work %d", f.Index+b.Seq)
	case GroupIclog:
		return fmt.Sprintf("iclog%d", f.Index)
	case GroupDisk:
		return fmt.Sprintf("log write %d", f.Index+b.LSN)
	case GroupInode:
		return fmt.Sprintf("inode %d", f.Index)
	case GroupCPU:
		return fmt.Sprintf("cpu%d", f.Index)
	case GroupTask:
		return m.TaskName(f.Index)
	}
	return ""
}
