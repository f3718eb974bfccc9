package mutate

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"cilcheck/properties/mutate/schemata"
)

// A generator finds the mutants of a package's files and puts them all into the
// files, each behind its guard.
type generator struct {
	sources []*source
	mutants []Mutant
	named   map[string]int // how many mutants have a key

	src *source // the file in hand
	fn  string  // the function in hand
	lab string  // the label of the case in hand, or ""
}

// skippedFiles hold no step of the model.
var skippedFiles = map[string]string{
	"calls.go":         "the call stack",
	"code.go":          "the dispatch from labels to functions",
	"config.go":        "scenarios",
	"describe.go":      "text",
	"doc.go":           "documentation",
	"early.go":         "a reduction, which tests of verdict compare with searches without it",
	"events.go":        "what recordings need",
	"facts.go":         "what properties and metrics ask",
	"label.go":         "the table of labels",
	"layout.go":        "packing",
	"packing.go":       "packing",
	"packing_amd64.go": "packing",
	"packing_other.go": "packing",
	"symmetry.go":      "a reduction, likewise",
	"tags.go":          "names",
	"toggle.go":        "names",
	"variant.go":       "names",
	"window.go":        "relative numbers, whose faults are planted in cil's own tests",
}

// skippedFuncs neither.
var skippedFuncs = map[string]string{
	"New":             "makes the machine of a scenario",
	"Validate":        "checks a scenario",
	"validate":        "checks a scenario",
	"fsyncs":          "derives from a scenario",
	"Init":            "the initial state",
	"initPrevious":    "the initial state",
	"initTransaction": "the initial state",
	"TaskName":        "text",
	"AssertName":      "text",
	"assert":          "reports",
	"tag":             "reports",
	"Sync":            "for properties",
}

// observers are calls that report a step and change nothing.
var observers = []string{"r.tag", "r.assert", "r.mv.Note", "r.mv.Truncate", "mv.Note", "mv.Truncate"}

// Generate finds the mutants of Go files, given by their paths in the module,
// and returns the files with all mutants in them.
func Generate(files map[string][]byte) ([]Mutant, map[string][]byte, error) {
	g := &generator{named: map[string]int{}}
	names := make([]string, 0, len(files))
	for file := range files {
		names = append(names, file)
	}
	slices.Sort(names)
	for _, file := range names {
		if skippedFiles[path.Base(file)] != "" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		s, err := parseSource(file, files[file])
		if err != nil {
			return nil, nil, err
		}
		g.sources = append(g.sources, s)
	}
	for _, s := range g.sources {
		g.mutate(s)
	}
	g.swapSteps()
	g.splitPoint()
	if len(g.mutants) >= schemata.Max {
		return nil, nil, fmt.Errorf("%d mutants, not below %d", len(g.mutants), schemata.Max)
	}
	mutated := map[string][]byte{}
	for _, s := range g.sources {
		mutated[s.file] = s.rewritten()
	}
	return g.mutants, mutated, nil
}

// mutate finds the mutants of a file but for those that take several files.
func (g *generator) mutate(s *source) {
	g.src = s
	s.functions(func(fn *ast.FuncDecl) {
		if skippedFuncs[fn.Name.Name] != "" {
			return
		}
		g.fn, g.lab = fn.Name.Name, ""
		g.block(fn.Body.List)
	})
}

// add registers a mutant at a node and returns its number.
func (g *generator) add(n ast.Node, operator, text string) int {
	fn := g.fn
	if g.lab != "" {
		fn += " " + g.lab
	}
	m := Mutant{
		Number: len(g.mutants) + 1,
		File:   g.src.file, Line: g.src.fset.Position(n.Pos()).Line, Func: fn,
		Operator: operator, Text: oneLine(text), Nth: 1,
	}
	g.named[m.Key()]++
	m.Nth = g.named[m.Key()]
	g.mutants = append(g.mutants, m)
	return m.Number
}

// edit puts text around a node; %d in it is the mutant's number.
func (g *generator) edit(n ast.Node, number int, before, after string) {
	put := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(number)) }
	g.src.edits = append(g.src.edits, edit{g.src.offset(n.Pos()), g.src.offset(n.End()), put(before), put(after)})
}

// block finds the mutants of the statements of a block.
func (g *generator) block(list []ast.Stmt) {
	for i, st := range list {
		if i > 0 {
			g.swap(list[i-1], st)
		}
		g.statement(st)
	}
}

// statement finds the mutants of a statement and of what is in it.
func (g *generator) statement(st ast.Stmt) {
	switch st := st.(type) {
	case *ast.BlockStmt:
		g.block(st.List)
	case *ast.IfStmt:
		g.ifStatement(st)
	case *ast.ForStmt:
		if st.Cond != nil {
			g.conditionFalse(st.Cond)
			g.expressions(st.Cond)
		}
		g.block(st.Body.List)
	case *ast.RangeStmt:
		g.block(st.Body.List)
	case *ast.SwitchStmt:
		g.switchStatement(st)
	case *ast.AssignStmt:
		g.assignment(st)
	case *ast.IncDecStmt:
		g.drop(st, "drop-assign")
	case *ast.ExprStmt:
		g.callStatement(st)
	case *ast.ReturnStmt:
		g.expressions(st)
	}
}

func (g *generator) ifStatement(st *ast.IfStmt) {
	if init, ok := st.Init.(*ast.AssignStmt); ok {
		g.expressions(init)
	}
	g.conditionTrue(st.Cond)
	g.conditionFalse(st.Cond)
	g.expressions(st.Cond)
	g.block(st.Body.List)
	if st.Else != nil {
		g.statement(st.Else)
	}
}

// switchStatement: a switch over labels names the label, one without a tag is a
// chain of conditions.
func (g *generator) switchStatement(st *ast.SwitchStmt) {
	if init, ok := st.Init.(*ast.AssignStmt); ok {
		g.expressions(init)
	}
	for _, c := range st.Body.List {
		c := c.(*ast.CaseClause)
		outer := g.lab
		switch {
		case st.Tag == nil:
			g.caseConditions(c)
		case isPC(st.Tag) && len(c.List) > 0:
			g.lab = g.src.code(c.List[0])
		}
		g.block(c.Body)
		g.lab = outer
	}
}

func (g *generator) caseConditions(c *ast.CaseClause) {
	for _, e := range c.List {
		if len(c.List) == 1 {
			g.conditionTrue(e)
			g.conditionFalse(e)
		} else {
			n := g.add(e, "drop-operand", "case "+g.src.code(c.List[0])+", ...: without "+g.src.code(e))
			g.edit(e, n, "(!schemata.On(%d) && (", "))")
		}
		g.expressions(e)
	}
}

// isPC reports whether an expression is the program counter of a task.
func isPC(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "PC"
}

// isLabel reports whether an expression is the name of a label.
func isLabel(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && len(id.Name) > 2 && strings.HasPrefix(id.Name, "pc") && token.IsExported(id.Name[2:])
}
