// Package probes writes the script that records, on somebody's machine, what
// package conform reads: which event is seen where is a table (table.go), how a
// tool is told is a text template (record.sh.tmpl). The script is POSIX sh and needs
// nothing of cilcheck; the command line prints it.
//
//	tracefs    an ftrace instance and kprobe events of its own
//	trace-cmd  the same probes, read with trace-cmd
//	bpftrace   a bpftrace program, whose output it sorts by time
//
// What depends on the build of a kernel is looked up when the script runs: which
// functions are there and under what name, and where fields are in structures
// (from BTF). An event that cannot be recorded is named in the recording, and
// conform then takes it as a hidden step.
//
// Read table.go first.
package probes
