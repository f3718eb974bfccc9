package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// systemFiles is the root of the file system, where the kernel says how much
// memory there is.
var systemFiles = os.DirFS("/")

// unknownMemory is what is assumed where the kernel does not say.
const unknownMemory = 4 << 30

// available is the memory that the program may use: that of the machine, or the
// limit of a control group that it is in.
func available(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	if n, ok := machineMemory(root); ok {
		least = n
	}
	for _, file := range limitFiles(root) {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n) // otherwise it says "max"
		}
	}
	if least == math.MaxInt64 {
		return unknownMemory
	}
	return least
}

// machineMemory reads MemTotal.
func machineMemory(root fs.FS) (int64, bool) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// limitFiles are the files with the limits of the control groups that the
// program is in and of those around them, in both versions of the interface.
func limitFiles(root fs.FS) []string {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var files []string
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		base, name := "sys/fs/cgroup", "memory.max"
		if f[1] != "" {
			if f[1] != "memory" {
				continue
			}
			base, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			files = append(files, path.Join(base, dir, name))
			if dir == "/" {
				break
			}
		}
	}
	return files
}
