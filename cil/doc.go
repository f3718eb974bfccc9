// Package cil is the XFS log from the transaction commit to the stable log
// write: the CIL, checkpoints, push work, forces, iclogs, log I/O, shutdown and
// the disk with its volatile cache. It uses package wq as XFS uses the Linux
// workqueue, and knows nothing of properties or searches.
//
// A kernel function is a function of this package, in a file named after what
// it belongs to. It is a switch over labels (label.go) that reads from top to
// bottom like the function it models: each case is one access, takes what it
// needs from the state, says which tags of spec/reference/cil.md it passes, and
// names the label that comes next.
//
//	file           kernel function               lock          tags
//	commit.go      xlog_cil_commit               ctx r         C1-C8
//	               xlog_cil_push_background      push          B1-B7
//	push_now.go    xlog_cil_push_now             push          N0-N5
//	               xlog_cil_flush                none          A1-A3
//	force.go       xlog_cil_force_seq            push          F0-F4
//	               xfs_log_force                 icl           G1-G5
//	               xfs_log_force_seq, force_lsn  icl           FS1-FS3, FL1-FL6
//	               xlog_force_iclog              icl           FI1-FI3
//	               xlog_wait_on_iclog            icl           WI1, WI2
//	               xfs_file_fsync                ili_lock      FY2-FY4
//	push_work.go   xlog_cil_push_work            ctx w, push   W1-W16, SKIP, ABORT
//	               xlog_cil_order_write          push          O1, O2
//	write.go       xlog_write                    icl           X2-X5
//	               xlog_state_get_iclog_space    icl           GI1-GI6
//	               xlog_cil_set_ctx_write_state  push, icl     SF1, SF2, S1-S3
//	iclog.go       xlog_state_release_iclog      icl           RI1-RI6
//	               xlog_write_iclog              ic_sema       RI6
//	               xlog_ioend_work               icl           IE1-IE4
//	               xlog_state_do_callback        icl           DC1-DC3, IC1-IC7
//	committed.go   xlog_cil_committed            push          PC1, K1-K6
//	shutdown.go    xlog_force_shutdown           icl, push     D1-D8, SC1-SC3
//
// What only options of a scenario need has files of its own:
//
//	percpu.go      lists and counters of each CPU, a CPU that goes away   C4d, C4e, W4
//	buffer.go      buffers locked across a call, xfs_buf_item_unpin       K3c
//	unmount.go     xfs_unmountfs as far as the log goes                   UM1-UM7
//	ail.go         the AIL by its order, xfsaild, log space               K3b
//	tail.go        the log tail that each log write carries               RI1, K3a, K3b
//
// Their labels and fields come after those of the rest, and a state of a scenario
// without the option has no room for them.
//
// # Steps
//
// A step (task.go) is one lock section or one lock-free access, followed by the
// local code up to the next one. In the finer mode every access that another
// task can race with is a step of its own, and so is taking a spinlock;
// accesses to what only that lock protects stay with their neighbour, since
// nobody can see between them.
//
// # Abstractions
//
// Sequences and LSNs are relative (window.go). Log space is counted in coarse
// units. The disk (disk.go) keeps only what a crash may leave. Left out: intents
// (C3) but for the whiteout that W16 unpins, reservations (C4c, C5, X1), busy
// extents and discards (K4), metadata on the data device, the unmount record.
// Each place says why that can hide nothing from the properties.
//
// # Reductions
//
// Canonical (symmetry.go) says which states differ only in which of the tasks,
// kworkers and iclogs that are alike is which. Early (early.go) says which steps
// may as well be taken before whatever the others do, each with its reason; where
// a historical fix is taken away or a fault planted, most are not.
//
// Read State (state.go), then pushNow and forceSeq, then the rest.
package cil
