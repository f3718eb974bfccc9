package mutate

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A source is one Go file and what the mutants change in it.
type source struct {
	file  string // path in the module, with slashes
	text  []byte
	fset  *token.FileSet
	tree  *ast.File
	edits []edit
}

// An edit puts text around a piece of a file. Edits may share their ends and lie
// in one another; before of the outer one then comes first, after last.
type edit struct {
	start, end    int // offsets in the file
	before, after string
}

func parseSource(file string, text []byte) (*source, error) {
	s := &source{file: file, text: text, fset: token.NewFileSet()}
	var err error
	s.tree, err = parser.ParseFile(s.fset, file, text, parser.SkipObjectResolution)
	return s, err
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// code is the text of a node.
func (s *source) code(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// rewritten is the file with all edits made, and with the import that their
// guards need.
func (s *source) rewritten() []byte {
	if len(s.edits) == 0 {
		return s.text
	}
	name := s.offset(s.tree.Name.End())
	all := []insertion{{at: name, text: "; import \"cilcheck/properties/mutate/schemata\""}}
	for i, e := range s.edits {
		all = append(all,
			insertion{at: e.start, opens: true, rank: [2]int{-e.end, i}, text: e.before},
			insertion{at: e.end, rank: [2]int{-e.start, -i}, text: e.after})
	}
	slices.SortStableFunc(all, insertion.compare)
	var out bytes.Buffer
	at := 0
	for _, in := range all {
		out.Write(s.text[at:in.at])
		out.WriteString(in.text)
		at = in.at
	}
	out.Write(s.text[at:])
	return out.Bytes()
}

// An insertion is one end of an edit. At one place, what closes comes before what
// opens; of two that open, the one that reaches further comes first, of two that
// close, last; edits of the same piece lie in one another in their order.
type insertion struct {
	at    int
	opens bool
	rank  [2]int
	text  string
}

func (a insertion) compare(b insertion) int {
	switch {
	case a.at != b.at:
		return a.at - b.at
	case a.opens != b.opens && a.opens:
		return 1
	case a.opens != b.opens:
		return -1
	}
	return slices.Compare(a.rank[:], b.rank[:])
}

// oneLine is Go code with every run of white space one space.
func oneLine(code string) string { return strings.Join(strings.Fields(code), " ") }

// functions calls f for every function of the file with a body.
func (s *source) functions(f func(*ast.FuncDecl)) {
	for _, d := range s.tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f(fn)
		}
	}
}
