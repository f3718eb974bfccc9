package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of a scenario file. They are far above any real one and keep what a
// hostile one can cost small.
const (
	// MaxFile is the number of bytes of a file.
	MaxFile = 16 << 10
	// MaxLines is its number of lines.
	MaxLines = 500
)

// An Error is one thing that is wrong with a scenario file.
type Error struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Load reads the scenario file; see Parse.
func Load(file string, validate func(variant string) error) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(file, data, validate)
}

// Parse reads a scenario from the contents of the named file. The error joins
// an *Error for everything that is wrong, in file order.
//
// validate says what is wrong with a variant; nil accepts any.
func Parse(file string, data []byte, validate func(variant string) error) (*Scenario, error) {
	d := &decoder{places: map[string]place{}, bad: map[string]bool{}, validate: validate}
	sc := defaults()
	if root := d.root(data); root != nil {
		d.scenario(sc, root)
		for _, p := range problems(sc, d.bad) {
			d.errorf(d.placeOf(p.path), "%s: %s", key(p.path), p.text)
		}
	}
	if len(d.errs) > 0 {
		return nil, d.join(file)
	}
	return sc, nil
}

// key is the key of the file that a path such as "tasks[1].do[0]" ends with.
func key(path string) string {
	path = path[strings.LastIndexByte(path, '.')+1:]
	path, _, _ = strings.Cut(path, "[")
	return path
}

// A place is where something stands in a file, from 1.
type place struct{ line, column int }

type misfit struct {
	at  place
	msg string
}

// join makes one error of all, in file order.
func (d *decoder) join(file string) error {
	slices.SortStableFunc(d.errs, func(a, b misfit) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	errs := make([]error, len(d.errs))
	for i, m := range d.errs {
		errs[i] = &Error{file, m.at.line, m.msg}
	}
	return errors.Join(errs...)
}

// root parses the YAML of the file down to its one map. It returns nil after an
// error.
func (d *decoder) root(data []byte) *yaml.Node {
	if err := d.characters(data); err != nil {
		return nil
	}
	docs, err := documents(data)
	switch {
	case err != nil:
		d.errorf(place{line: brokenLine(data)}, "not YAML: %s", yamlMessage(err))
	case len(docs) == 0 || len(docs) == 1 && empty(docs[0]):
		d.errorf(place{line: 1}, "the file is empty: expected a scenario")
	case len(docs) > 1:
		d.errorf(at(docs[1]), "a second document: expected one scenario in a file")
	case !d.plain(docs[0]):
	case docs[0].Content[0].Kind != yaml.MappingNode:
		d.wrong(docs[0].Content[0], "", "a scenario, which is a map")
	default:
		return docs[0].Content[0]
	}
	return nil
}

var errCharacters = errors.New("characters")

// characters refuses what no text editor shows: YAML libraries disagree about
// such files, and about their line numbers.
func (d *decoder) characters(data []byte) error {
	line := 1
	if len(data) > MaxFile {
		d.errorf(place{line: line}, "the file is too large: expected at most %d bytes", MaxFile)
		return errCharacters
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		crlf := r == '\r' && bytes.HasPrefix(data[i+n:], []byte("\n"))
		switch {
		case r == '\n':
			if line++; line > MaxLines+1 {
				d.errorf(place{line: line}, "the file is too long: expected at most %d lines", MaxLines)
				return errCharacters
			}
		case r == utf8.RuneError && n == 1:
			d.errorf(place{line: line}, "byte %#02x is not UTF-8: expected UTF-8 text", data[i])
			return errCharacters
		case r == '\t' || crlf:
		case r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			d.errorf(place{line: line}, "character %U: expected printable text", r)
			return errCharacters
		}
		i += n
	}
	return nil
}

// documents parses all documents of a file.
func documents(data []byte) (docs []*yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		doc := new(yaml.Node)
		if err := dec.Decode(doc); err == io.EOF {
			return docs, nil
		} else if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
}

// brokenLine is the line that breaks the YAML: the first one that no
// continuation mends, so that an opening bracket without its closing one is
// blamed, not the end of the file. The library names the line of the enclosing
// block, or none at all.
func brokenLine(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := len(lines) - 1; n > 0; n-- {
		if _, err := documents(bytes.Join(lines[:n], nil)); err == nil {
			return n + 1
		}
	}
	return 1
}

// yamlMessage is the message of the library without its idea of the line.
func yamlMessage(err error) string {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if digits, after, ok := strings.Cut(rest, ": "); ok {
			if _, err := strconv.Atoi(digits); err == nil {
				return after
			}
		}
	}
	return msg
}

// plain refuses the parts of YAML that a scenario has no use for, and reports
// whether there are none.
func (d *decoder) plain(n *yaml.Node) bool {
	before := len(d.errs)
	if n.Anchor != "" {
		d.errorf(at(n), "anchor &%s: expected plain YAML without anchors", n.Anchor)
	}
	switch {
	case n.Kind == yaml.AliasNode:
		d.errorf(at(n), "alias *%s: expected plain YAML without aliases", n.Value)
	case n.Kind == yaml.ScalarNode && n.Tag == "!!merge":
		d.errorf(at(n), "merge key <<: expected plain YAML without merge keys")
	case n.Style&yaml.TaggedStyle != 0:
		d.errorf(at(n), "tag %q: expected plain YAML without tags", n.Tag)
	}
	for _, child := range n.Content {
		d.plain(child)
	}
	return len(d.errs) == before
}

// empty reports whether a document has no more than comments.
func empty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" && doc.Content[0].Value == ""
}

func at(n *yaml.Node) place { return place{n.Line, n.Column} }
