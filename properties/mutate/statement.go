package mutate

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// drop leaves a statement out.
func (g *generator) drop(st ast.Stmt, operator string) {
	n := g.add(st, operator, g.src.code(st))
	g.edit(st, n, "if !schemata.On(%d) { ", " }")
}

// replace puts other code in the place of a statement.
func (g *generator) replace(st ast.Stmt, operator, text, code string) {
	n := g.add(st, operator, text)
	g.edit(st, n, "if schemata.On(%d) { "+code+" } else { ", " }")
}

// assignment drops an assignment, or each part of one of several values. A
// program counter is not dropped: its step would never end.
func (g *generator) assignment(st *ast.AssignStmt) {
	g.split(st)
	for _, x := range st.Rhs {
		g.expressions(x)
	}
	if st.Tok == token.DEFINE || strings.HasPrefix(g.src.code(st), "r.mv.") {
		return
	}
	switch {
	case len(st.Lhs) == 1:
		if !isPC(st.Lhs[0]) {
			g.drop(st, "drop-assign")
		}
	case len(st.Rhs) == len(st.Lhs):
		for i := range st.Lhs {
			if !isPC(st.Lhs[i]) {
				g.dropPart(st, i)
			}
		}
	}
	g.flags(st)
}

// dropPart leaves out one value of an assignment of several.
func (g *generator) dropPart(st *ast.AssignStmt, without int) {
	var lhs, rhs []string
	for i := range st.Lhs {
		if i != without {
			lhs = append(lhs, g.src.code(st.Lhs[i]))
			rhs = append(rhs, g.src.code(st.Rhs[i]))
		}
	}
	text := g.src.code(st) + ": without " + g.src.code(st.Lhs[without])
	g.replace(st, "drop-assign", text, strings.Join(lhs, ", ")+" "+st.Tok.String()+" "+strings.Join(rhs, ", "))
}

// flags drops each of several flags that are assigned.
func (g *generator) flags(st *ast.AssignStmt) {
	or, ok := st.Rhs[0].(*ast.BinaryExpr)
	if !ok || or.Op != token.OR || len(st.Rhs) > 1 {
		return
	}
	for _, kept := range []ast.Expr{or.Y, or.X} {
		text := g.src.code(st) + ": only " + g.src.code(kept)
		g.replace(st, "drop-flag", text, g.src.code(st.Lhs[0])+" "+st.Tok.String()+" "+g.src.code(kept))
	}
}

// callStatement drops a call. One that takes the label to go on at is skipped
// instead, and a return is not dropped: its step would never end.
func (g *generator) callStatement(st *ast.ExprStmt) {
	g.split(st)
	call, ok := st.X.(*ast.CallExpr)
	if !ok {
		return
	}
	name := g.src.code(call.Fun)
	if slices.Contains(observers, name) || name == "r.ret" || name == "r.exec" {
		return
	}
	for _, x := range call.Args {
		g.expressions(x)
	}
	last := len(call.Args) - 1
	switch {
	case last >= 0 && (isLabel(call.Args[last]) || g.src.code(call.Args[last]) == "pc"):
		g.replace(st, "skip-call", g.src.code(st), "r.t.PC = "+g.src.code(call.Args[last]))
	case name == "r.wakeAll" || name == "r.wake":
		g.drop(st, "drop-wake")
	default:
		g.drop(st, "drop-call")
	}
}

// swap exchanges two neighbours if both are single statements and one mentions
// what the other assigns; otherwise nobody could tell the difference, for both
// are in one step.
func (g *generator) swap(a, b ast.Stmt) {
	if !g.movable(a) || !g.movable(b) || !g.mentions(a, b) && !g.mentions(b, a) {
		return
	}
	second := g.src.code(b)
	n := g.add(a, "swap", g.src.code(a)+"; "+second)
	g.edit(pair{a, b}, n, "if schemata.On(%d) { "+second+" }; ", "")
	g.edit(b, n, "if !schemata.On(%d) { ", " }")
}

// A pair is two neighbours as one node.
type pair struct{ a, b ast.Stmt }

func (p pair) Pos() token.Pos { return p.a.Pos() }
func (p pair) End() token.Pos { return p.b.End() }

// movable reports whether a statement can be put elsewhere.
func (g *generator) movable(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.AssignStmt:
		return st.Tok != token.DEFINE
	case *ast.IncDecStmt:
		return true
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		return ok && !slices.Contains(observers, g.src.code(call.Fun))
	}
	return false
}

// mentions reports whether b has in it what a assigns.
func (g *generator) mentions(a, b ast.Stmt) bool {
	var assigned []ast.Expr
	switch a := a.(type) {
	case *ast.AssignStmt:
		assigned = a.Lhs
	case *ast.IncDecStmt:
		assigned = []ast.Expr{a.X}
	}
	for _, x := range assigned {
		if strings.Contains(g.src.code(b), g.src.code(x)) {
			return true
		}
	}
	return false
}
