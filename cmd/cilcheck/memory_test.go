package main

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestAvailable(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	machine := file("MemFree: 1 kB\nMemTotal:       2048 kB\n")
	for _, test := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"nothing known", fstest.MapFS{}, unknownMemory},
		{"machine", fstest.MapFS{"proc/meminfo": machine}, 2048 << 10},
		{"v2", fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.max": file("4096\n"),
		}, 4096},
		{"v1", fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("5:cpu:/x\n4:memory:/a\n0::/\n"),
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   file("8192\n"),
			"sys/fs/cgroup/cpu/x/memory.limit_in_bytes":    file("1\n"),
		}, 8192},
		{"nonsense", fstest.MapFS{"proc/meminfo": file("MemTotal: much\n"), "proc/self/cgroup": file("?\n")}, unknownMemory},
	} {
		if got := available(fs.FS(test.root)); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "2k": 2 << 10, "3M": 3 << 20, "4G": 4 << 30, "4GiB": 4 << 30, "5TB": 5 << 40,
		"": -1, "0": -1, "-1": -1, "G": -1, "1.5G": -1, "4X": -1, "9999999999T": -1,
	} {
		var b byteSize
		err := b.Set(text)
		if want < 0 != (err != nil) || err == nil && int64(b) != want {
			t.Errorf("%q is %d, %v; want %d", text, b, err, want)
		}
		var again byteSize
		if err == nil && (again.Set(b.String()) != nil || again != b) {
			t.Errorf("%q prints as %s", text, b.String())
		}
	}
}
