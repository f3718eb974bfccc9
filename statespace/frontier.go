package statespace

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A frontier holds the keys of the level that is expanded and of the one that
// is found, in order. When it is told to spill, it moves them to files, one per
// level, which are written and read from front to back and removed when they
// are done.
//
// The next level belongs to one goroutine; read may be called from any.
type frontier struct {
	dir      string
	next     *queue
	resident atomic.Int64 // chunks in memory
	mu       sync.Mutex   // for what follows
	spilling bool
	cur      *queue
	spare    []*region // chunks to be used again
}

// A queue is the keys of one level, in chunks of queueChunkLen.
type queue struct {
	chunks  []queueChunk
	open    []uint64 // the last of them
	n       int      // keys pushed
	dropped int      // of them, from the front
	file    *os.File
	size    int64 // of the file
	loaded  queueChunk
	number  int // of the chunk that is loaded
}

// A queueChunk is in memory, or at a place in the file of its queue.
type queueChunk struct {
	space *region
	at    int64
}

const (
	queueChunkLen   = 1 << 13
	queueChunkBytes = 8 * queueChunkLen
)

func newFrontier(dir string) *frontier {
	return &frontier{dir: dir, cur: &queue{}, next: &queue{}}
}

// push adds a key to the next level.
func (f *frontier) push(key uint64) error {
	q := f.next
	i := q.n % queueChunkLen
	if i == 0 {
		if err := f.startChunk(q); err != nil {
			return err
		}
	}
	q.open[i] = key
	q.n++
	return nil
}

func (f *frontier) startChunk(q *queue) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spilling {
		if err := f.writeOut(q); err != nil {
			return err
		}
	}
	c := f.newChunk()
	q.chunks, q.open = append(q.chunks, c), c.space.words
	return nil
}

// newChunk needs the lock.
func (f *frontier) newChunk() queueChunk {
	if n := len(f.spare); n > 0 {
		space := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return queueChunk{space: space}
	}
	f.resident.Add(1)
	return queueChunk{space: newRegion(queueChunkLen)}
}

// free needs the lock. It keeps the memory of a chunk for another one, unless
// memory is short.
func (f *frontier) free(c *queueChunk) {
	if c.space != nil && f.spilling {
		c.space.release()
		f.resident.Add(-1)
	} else if c.space != nil {
		f.spare = append(f.spare, c.space)
	}
	c.space = nil
}

// swap makes the next level the one that is read.
func (f *frontier) swap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.discard(f.cur)
	f.cur, f.next = f.next, &queue{}
}

// discard frees a queue and removes its file.
func (f *frontier) discard(q *queue) {
	for i := range q.chunks {
		f.free(&q.chunks[i])
	}
	f.free(&q.loaded)
	if q.file != nil {
		q.file.Close()
		os.Remove(q.file.Name())
	}
	*q = queue{}
}

// close frees everything.
func (f *frontier) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spilling = true
	f.discard(f.cur)
	f.discard(f.next)
	f.freeSpare()
}

func (f *frontier) freeSpare() {
	for _, space := range f.spare {
		space.release()
		f.resident.Add(-1)
	}
	f.spare = nil
}

// read appends keys of the current level to dst: n from number i on, all of one
// chunk.
func (f *frontier) read(dst []uint64, i, n int) ([]uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words, err := f.chunkOf(f.cur, i/queueChunkLen)
	if err != nil {
		return dst, err
	}
	return append(dst, words[i%queueChunkLen:][:n]...), nil
}

// chunkOf is a chunk of a queue, from memory or from the file.
func (f *frontier) chunkOf(q *queue, number int) ([]uint64, error) {
	if space := q.chunks[number].space; space != nil {
		return space.words, nil
	}
	if q.loaded.space != nil && q.number == number {
		return q.loaded.space.words, nil
	}
	if q.loaded.space == nil {
		q.loaded = f.newChunk()
	}
	q.number = number
	if _, err := q.file.ReadAt(bytesOf(q.loaded.space.words), q.chunks[number].at); err != nil {
		return nil, fileFault("cannot read the frontier back: %w", err)
	}
	return q.loaded.space.words, nil
}

// drop gives up the next n keys of the current level.
func (f *frontier) drop(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.cur
	for end := q.dropped + n; q.dropped < end; {
		q.dropped = min(end, (q.dropped/queueChunkLen+1)*queueChunkLen)
		if q.dropped%queueChunkLen == 0 {
			f.free(&q.chunks[q.dropped/queueChunkLen-1])
		}
	}
}

// spill moves what is in memory to files, and from now on what is added, too.
func (f *frontier) spill() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spilling = true
	f.freeSpare()
	return errors.Join(f.writeOut(f.cur), f.writeOut(f.next))
}

// writeOut moves the full chunks of a queue that are in memory to its file.
func (f *frontier) writeOut(q *queue) (err error) {
	for i := q.dropped / queueChunkLen; i < q.n/queueChunkLen; i++ {
		c := &q.chunks[i]
		if c.space == nil {
			continue
		}
		if q.file == nil {
			if q.file, err = os.CreateTemp(f.dir, "cilcheck-frontier-*"); err != nil {
				return fileFault("cannot spill the frontier: %w", err)
			}
		}
		if _, err := q.file.WriteAt(bytesOf(c.space.words), q.size); err != nil {
			return fileFault("cannot spill the frontier: %w", err)
		}
		c.at = q.size
		q.size += queueChunkBytes
		f.free(c)
	}
	return nil
}

// files are the names of the files in use.
func (f *frontier) files() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range [...]*queue{f.cur, f.next} {
		if q.file != nil {
			names = append(names, q.file.Name())
		}
	}
	return names
}

// bytes is the memory the frontier holds.
func (f *frontier) bytes() int64 {
	return f.resident.Load()*queueChunkBytes + 16*int64(cap(f.next.chunks)+cap(f.cur.chunks))
}

// bytesOf is the memory of a slice of numbers, for files that are read on the
// machine that wrote them.
func bytesOf[T any](s []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), int(unsafe.Sizeof(x))*len(s))
}
