package spec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A transcript is a text file of cases: "== what the case is about", a scenario
// file, "----", and what Parse says about it.
const transcript = "testdata/errors.txt"

type errorCase struct{ title, file, says string }

func errorCases(t testing.TB) (cases []errorCase) {
	data, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+string(data), "\n== ") {
		title, rest, ok := strings.Cut(part, "\n")
		if !ok {
			continue // before the first case
		}
		file, says, _ := strings.Cut(rest, "----\n")
		cases = append(cases, errorCase{title, file, strings.TrimRight(says, "\n") + "\n"})
	}
	return cases
}

// toggles stands for the package that knows the variants.
func toggles(variant string) error {
	if variant == "flush=sometimes" {
		return errors.New(`unknown toggle "flush=sometimes": expected flush=always or flush=never`)
	}
	return nil
}

func TestErrors(t *testing.T) {
	var all strings.Builder
	cases := errorCases(t)
	for i, c := range cases {
		says := "fine\n"
		sc, err := Parse("f", []byte(c.file), toggles)
		if err != nil {
			says = err.Error() + "\n"
		} else if why := sc.NotKernel(); why != "" {
			says = why + "\n"
		}
		if diff := cmp.Diff(c.says, says); diff != "" && !*rewrite {
			t.Errorf("%s (-want +got):\n%s", c.title, diff)
		}
		wellFormed(t, []byte(c.file), err)
		if i > 0 {
			all.WriteString("\n")
		}
		fmt.Fprintf(&all, "== %s\n%s----\n%s", c.title, c.file, says)
	}
	if len(cases) < 40 {
		t.Errorf("only %d cases", len(cases))
	}
	sameFile(t, transcript, all.String())
}

// wellFormed checks that every error of Parse has a line of the file, in order.
func wellFormed(t *testing.T, data []byte, err error) {
	t.Helper()
	if err == nil {
		return
	}
	lines, last := strings.Count(string(data), "\n")+1, 0
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		var e *Error
		if !errors.As(err, &e) || e.Line < max(last, 1) || e.Line > lines || strings.Contains(e.Msg, "\n") || !strings.Contains(e.Msg, ": ") {
			t.Fatalf("not an error of the form line 1 to %d: wrong: expected, after line %d: %v", lines, last, err)
		}
		last = e.Line
	}
}

const small = "name: a\ntitle: b\ntasks: [{name: c, do: [commit]}]\n"

func TestCharacters(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{small + "# \xff\n", "f:4: byte 0xff is not UTF-8: expected UTF-8 text"},
		{small + "# \x01\n", "f:4: character U+0001: expected printable text"},
		{small + "#\u2028\n", "f:4: character U+2028: expected printable text"},
		{"\ufeff" + small, "f:1: character U+FEFF: expected printable text"},
		{"name: a\rtitle: b\n", "f:1: character U+000D: expected printable text"},
		{strings.Repeat("#\n", MaxLines+1), "f:502: the file is too long: expected at most 500 lines"},
		{strings.Repeat("#", MaxFile+1), "f:1: the file is too large: expected at most 16384 bytes"},
	} {
		_, err := Parse("f", []byte(c.data), nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.20q: %v, want %s", c.data, err, c.want)
		}
	}
	for _, good := range []string{
		small,
		strings.ReplaceAll(small, "\n", "\r\n"),
		small + strings.Repeat("#\n", MaxLines-3),
		small + strings.Repeat("#", MaxFile-len(small)),
	} {
		if _, err := Parse("f", []byte(good), nil); err != nil {
			t.Errorf("%.40q: %v", good, err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if sc, err := Load(write("good.yaml", small), nil); err != nil || sc.Name != "a" {
		t.Errorf("%v, %v", sc, err)
	}
	bad := write("bad.yaml", small+"soft: no\n")
	want := bad + `:4: soft: found "no": expected a decimal number, or a map of one for each size`
	if _, err := Load(bad, nil); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Load(write("large.yaml", strings.Repeat("#", 2*MaxFile)), nil); err == nil {
		t.Error("read a large file")
	}
	if _, err := Load(filepath.Join(dir, "none.yaml"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// parses checks everything that holds for any contents of a file.
func parses(t *testing.T, data []byte) {
	t.Helper()
	sc, err := Parse("f", data, toggles)
	wellFormed(t, data, err)
	_, again := Parse("f", data, toggles)
	if fmt.Sprint(err) != fmt.Sprint(again) {
		t.Fatalf("two results: %v and %v", err, again)
	}
	if err != nil {
		return
	}
	if err := sc.Validate(); err != nil {
		t.Fatalf("parsed, but not valid: %v", err)
	}
	text := sc.Format()
	back, err := Parse("formatted", text, toggles)
	if err != nil {
		t.Fatalf("what Format wrote: %v\n%s", err, text)
	}
	if diff := cmp.Diff(sc, back); diff != "" {
		t.Fatalf("formatted and parsed (-before +after):\n%s\n%s", diff, text)
	}
	for _, size := range sc.Sizes {
		fits(t, sc.Config(size))
	}
}

func FuzzLoad(f *testing.F) {
	for _, sc := range Library() {
		f.Add(sc.Format())
	}
	for _, c := range errorCases(f) {
		f.Add([]byte(c.file))
	}
	f.Fuzz(parses)
}

// TestDamagedFiles damages every file of the library in many small ways.
func TestDamagedFiles(t *testing.T) {
	for _, sc := range Library() {
		whole := sc.Format()
		lines := strings.SplitAfter(string(whole), "\n")
		for i := range lines {
			without := slices.Delete(slices.Clone(lines), i, i+1)
			parses(t, []byte(strings.Join(without, "")))
			twice := slices.Insert(slices.Clone(lines), i, lines[i])
			parses(t, []byte(strings.Join(twice, "")))
		}
		for i := 0; i < len(whole); i += 29 {
			parses(t, whole[:i])
			for _, c := range []byte("\t:[{-&9") {
				damaged := slices.Clone(whole)
				damaged[i] = c
				parses(t, damaged)
			}
		}
	}
}

// TestHostileFiles has files that are as costly as the limits allow.
func TestHostileFiles(t *testing.T) {
	fill := func(start, s, end string) []byte {
		n := (MaxFile - len(start) - len(end)) / len(s)
		if strings.Contains(s, "\n") {
			n = min(n, MaxLines-strings.Count(start, "\n"))
		}
		return []byte(start + strings.Repeat(s, n) + end)
	}
	head := "name: a\ntitle: b\n"
	for _, data := range [][]byte{
		fill("", "[", ""),
		fill("", strings.Repeat("[", 8)+"\n", ""),
		fill("", "{a: ", ""),
		fill("", "? ", ""),
		fill("a: \"\n", "text text text\n", ""),
		fill("a: ]\n", "b: 1\n", ""),
		fill(head+"tasks: [", "a,", "]\n"),
		fill(head+"tasks: [", "{name: C, count: 999999999, do: [comit, commit]},", "]\n"),
		fill(head+"tasks: [{name: c, do: [", "{fsync: {inode: 99}},", "]}]\n"),
		fill(head+"tasks: [{name: c, do: [", "*x, ", "]}]\n"),
		fill(head, "colour: red\n", ""),
	} {
		parses(t, data)
	}
}
