package cil

// code is the Go function that has the code of a label. Calling it through a
// switch and not through a pointer keeps the step in progress off the heap.
type code uint8

const (
	doScript code = iota
	doCommit
	doPushBackground
	doPushNow
	doForceSeq
	doCilFlush
	doLogForce
	doLogForceSeq
	doForceLsn
	doForceIclog
	doWaitOnIclog
	doFsync
	doPushWork
	doPushWorkCommit
	doPushWorkWrite
	doOrderWrite
	doGetIclogSpace
	doWrite
	doSetCtxWriteState
	doRelease
	doWriteIclog
	doIoEnd
	doDoneSyncing
	doDoCallback
	doProcessCommitted
	doCommitted
	doShutdown
	doShutdownCallbacks
	doFreezer
	doHotplug
	doBuffer
	doUnmount
	doXfsaild
	doPushAll
	doSubmitBuffer
	doReserve
)

// exec runs the label that the task is at.
func (r *run) exec() {
	if r.s.Torn != 0 && touchesCIL(r.t.PC) {
		r.touch(TornCIL)
	}
	switch labels[r.t.PC].do {
	case doScript:
		r.script()
	case doCommit:
		r.commit()
	case doPushBackground:
		r.pushBackground()
	case doPushNow:
		r.pushNow()
	case doForceSeq:
		r.forceSeq()
	case doCilFlush:
		r.cilFlush()
	case doLogForce:
		r.logForce()
	case doLogForceSeq:
		r.logForceSeq()
	case doForceLsn:
		r.forceLsn()
	case doForceIclog:
		r.forceIclog()
	case doWaitOnIclog:
		r.waitOnIclog()
	case doFsync:
		r.fsync()
	case doPushWork:
		r.pushWork()
	case doPushWorkCommit:
		r.pushWorkCommit()
	case doPushWorkWrite:
		r.pushWorkWrite()
	case doOrderWrite:
		r.orderWrite()
	case doGetIclogSpace:
		r.getIclogSpace()
	case doWrite:
		r.write()
	case doSetCtxWriteState:
		r.setCtxWriteState()
	case doRelease:
		r.release()
	case doWriteIclog:
		r.writeIclog()
	case doIoEnd:
		r.ioEnd()
	case doDoneSyncing:
		r.doneSyncing()
	case doDoCallback:
		r.doCallback()
	case doProcessCommitted:
		r.processCommitted()
	case doCommitted:
		r.committed()
	case doShutdown:
		r.shutdown()
	case doShutdownCallbacks:
		r.shutdownCallbacks()
	case doFreezer:
		r.freezer()
	case doHotplug:
		r.hotplug()
	case doBuffer:
		r.buffer()
	case doUnmount:
		r.unmount()
	case doXfsaild:
		r.xfsaild()
	case doPushAll:
		r.pushAll()
	case doReserve:
		r.reserve()
	case doSubmitBuffer:
		r.submitBuffer()
	}
}
