package probes

import (
	"fmt"

	"cilcheck/counterexamples/conform"
)

// A probe is where one kind of event is recorded: at the entry of a function, at
// its return, or by a tracepoint.
type probe struct {
	kind     conform.Kind
	function string // of a kprobe
	ret      bool   // at its return
	group    string // of a tracepoint
	fields   []field
	until    int // the major version from which kernels do not have it; 0: all have
}

// A field is one value that an event shows.
type field struct {
	name string
	// base is what the value is taken from: "1" to "6" is that argument, "ret" the
	// return value, and any other a shell variable that the script sets.
	base string
	// at is the shell variable with the offset of the value in what base points
	// to; "" if base is the value itself.
	at  string
	typ string // u8, s32, u64, x64 or string, as ftrace names them
}

func arg(name, base, typ string) field        { return field{name: name, base: base, typ: typ} }
func member(name, base, at, typ string) field { return field{name, base, at, typ} }

// cilFields are what the probes of xlog_cil_push_now and xlog_cil_force_seq read
// in struct xfs_cil, which the variable base points to.
func cilFields(base string) []field {
	return []field{
		member("cur", base, "xc_current_sequence", "u64"),
		member("push_seq", base, "xc_push_seq", "u64"),
		member("flags", base, "xc_flags", "x64"),
	}
}

// ctxFields are what is read in the checkpoint context that is argument 1.
func ctxFields(names ...string) []field {
	typ := map[string]string{"sequence": "u64", "start_lsn": "x64", "commit_lsn": "x64"}
	fields := []field{member("seq", "1", "sequence", "u64")}
	for _, name := range names {
		fields = append(fields, member(name, "1", name, typ[name]))
	}
	return fields
}

// kprobes are the probes on functions.
var kprobes = []probe{
	{kind: conform.Fsync, function: "xfs_file_fsync"},
	{kind: conform.FsyncRet, function: "xfs_file_fsync", ret: true, fields: []field{arg("ret", "ret", "s32")}},
	{kind: conform.LogForceSeq, function: "xfs_log_force_seq", fields: []field{arg("seq", "2", "u64")}},
	{kind: conform.LogForceSeqRet, function: "xfs_log_force_seq", ret: true, fields: []field{arg("ret", "ret", "s32")}},
	{kind: conform.CilForceSeq, function: "xlog_cil_force_seq", fields: []field{arg("seq", "2", "u64")}},
	{kind: conform.CilForceSeqRet, function: "xlog_cil_force_seq", ret: true, fields: []field{arg("lsn", "ret", "x64")}},
	{kind: conform.CilFlush, function: "xlog_cil_flush"},
	{kind: conform.PushNow, function: "xlog_cil_push_now",
		fields: append([]field{arg("seq", "2", "u64"), arg("async", "3", "u8")}, cilFields("cil")...)},
	{kind: conform.PushNowRet, function: "xlog_cil_push_now", ret: true},
	{kind: conform.FlushWq, function: "__flush_workqueue", fields: []field{member("name", "1", "wq_name", "string")}},
	{kind: conform.FlushPrepRet, function: "flush_workqueue_prep_pwqs", ret: true, fields: []field{arg("wait", "ret", "u8")}},
	{kind: conform.FlushWqRet, function: "__flush_workqueue", ret: true},
	{kind: conform.PushWork, function: "xlog_cil_push_work",
		fields: []field{member("seq", "1", "sequence_of_work", "u64")}},
	{kind: conform.PushWorkRet, function: "xlog_cil_push_work", ret: true},
	{kind: conform.CtxSwitch, function: "xlog_cil_ctx_switch", until: 7},
	{kind: conform.OrderWrite, function: "xlog_cil_order_write",
		fields: []field{arg("seq", "2", "u64"), arg("rec", "3", "u32")}},
	{kind: conform.OrderWriteRet, function: "xlog_cil_order_write", ret: true, fields: []field{arg("ret", "ret", "s32")}},
	{kind: conform.SetCtxWriteState, function: "xlog_cil_set_ctx_write_state", fields: ctxFields("start_lsn", "commit_lsn")},
	{kind: conform.ProcessCommitted, function: "xlog_cil_process_committed"},
	{kind: conform.CilCommitted, function: "xlog_cil_committed", fields: ctxFields("commit_lsn")},
}

// insides are the probes within xlog_cil_force_seq. Where they are, and in which
// registers their values, differs from build to build: who wants them says so.
var insides = []probe{
	{kind: conform.RestartCur, function: "xlog_cil_force_seq",
		fields: append([]field{arg("seq", "rc_seq", "u64")}, cilFields("rc_cil")...)},
	{kind: conform.RestartWait, function: "xlog_cil_force_seq",
		fields: []field{arg("seq", "rw_seq", "u64"), member("on_seq", "rw_ctx", "sequence", "u64"),
			member("cur", "rw_cil", "xc_current_sequence", "u64")}},
}

// tracepoints are the events that the kernel has of itself.
var tracepoints = func() []probe {
	ps := []probe{{kind: conform.LogForce, group: "xfs", fields: []field{arg("lsn", "lsn", "x64")}}}
	for k := conform.QueueWork; k <= conform.ExecuteEnd; k++ {
		ps = append(ps, probe{kind: k, group: "workqueue"})
	}
	iclog := []field{arg("state", "state", "u32"), arg("refcnt", "refcount", "u32"),
		arg("offset", "offset", "u32"), arg("lsn", "lsn", "x64")}
	for k := conform.IclogGetSpace; k <= conform.IclogWaitOn; k++ {
		ps = append(ps, probe{kind: k, group: "xfs", fields: iclog})
	}
	return ps
}()

// in reports whether a kernel of the version has what the probe is on.
func (p *probe) in(v Version) bool { return p.until == 0 || v.Major < p.until }

// kprobeFields renders the fields for kprobe_events, in double quotes of the shell.
func (p *probe) kprobeFields() string {
	s := ""
	for _, f := range p.fields {
		base := "$" + f.base
		switch {
		case f.base == "ret":
			base = `\$retval`
		case f.isArgument():
			base = `\$arg` + f.base
		}
		if f.at != "" {
			base = fmt.Sprintf("$%s(%s)", f.at, base)
		}
		s += fmt.Sprintf(" %s=%s:%s", f.name, base, f.typ)
	}
	return s
}

// bpfFields renders the fields for a bpftrace printf: its format and its values.
func (p *probe) bpfFields() (format, values string) {
	for _, f := range p.fields {
		base := "$" + f.base
		switch {
		case p.group != "":
			base = "args." + f.base
		case f.base == "ret":
			base = "retval"
		case f.isArgument():
			base = fmt.Sprint("arg", f.base[0]-'1')
		}
		verb, value := "%llu", base
		switch f.typ {
		case "string":
			verb, value = `\"%s\"`, fmt.Sprintf("str(%s + $%s)", base, f.at)
		case "x64":
			verb = "0x%llx"
		case "s32":
			verb = "%d"
		}
		if f.at != "" && f.typ != "string" {
			value = fmt.Sprintf("*(uint64 *)(%s + $%s)", base, f.at)
		} else if f.typ != "string" && p.group == "" {
			value = fmt.Sprintf("(%s)%s", map[string]string{"u8": "uint8", "u32": "uint32", "s32": "int32",
				"u64": "uint64", "x64": "uint64"}[f.typ], base)
		}
		format += fmt.Sprintf(" %s=%s", f.name, verb)
		values += ", " + value
	}
	return format, values
}

// isArgument reports whether the value comes from an argument of the function.
func (f *field) isArgument() bool { return len(f.base) == 1 && f.base[0] >= '1' && f.base[0] <= '6' }
