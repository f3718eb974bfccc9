package mutate

import (
	"go/ast"
	"go/token"
)

// conditionTrue and conditionFalse replace a whole condition.
func (g *generator) conditionTrue(e ast.Expr) {
	n := g.add(e, "condition-true", g.src.code(e))
	g.edit(e, n, "(schemata.On(%d) || (", "))")
}

func (g *generator) conditionFalse(e ast.Expr) {
	n := g.add(e, "condition-false", g.src.code(e))
	g.edit(e, n, "(!schemata.On(%d) && (", "))")
}

// expressions finds the mutants of the conditions and comparisons in a node.
func (g *generator) expressions(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			g.binary(n)
		}
		return true
	})
}

// weakened are the comparisons that differ only in whether equal values pass.
var weakened = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
}

func (g *generator) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND:
		g.operands(e, "(schemata.On(%d) || (", "))")
	case token.LOR:
		g.operands(e, "(!schemata.On(%d) && (", "))")
	default:
		if op, ok := weakened[e.Op]; ok {
			x, y := g.src.code(e.X), g.src.code(e.Y)
			n := g.add(e, "compare", g.src.code(e)+": "+op.String())
			g.edit(e, n, "(schemata.On(%d) && ("+x+op.String()+y+") || !schemata.On(%d) && (", "))")
		}
	}
}

// operands drops each operand of a chain of && or || that is no chain itself.
func (g *generator) operands(e *ast.BinaryExpr, before, after string) {
	for _, x := range []ast.Expr{e.X, e.Y} {
		if inner, ok := x.(*ast.BinaryExpr); ok && inner.Op == e.Op {
			continue // its operands are
		}
		n := g.add(x, "drop-operand", g.src.code(e)+": without "+g.src.code(x))
		g.edit(x, n, before, after)
	}
}
