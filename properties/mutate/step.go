package mutate

import "go/ast"

// splitOperator names the operator of split, whose mutants exist only where a
// lock turns out to be held.
const splitOperator = "split"

// split drops the spinlock after a transfer to another label, if one is held
// then: the section becomes two. splitPoint makes it so.
func (g *generator) split(st ast.Stmt) {
	if !g.transfers(st) {
		return
	}
	n := g.add(st, splitOperator, g.src.code(st))
	g.edit(st, n, "", "; schemata.Arm(%d)")
}

// transfers reports whether a statement sets the label that comes next.
func (g *generator) transfers(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.AssignStmt:
		for _, x := range st.Lhs {
			if isPC(x) {
				return true
			}
		}
	case *ast.ExprStmt:
		if call, ok := st.X.(*ast.CallExpr); ok {
			name := g.src.code(call.Fun)
			return name == "r.call" || name == "r.ret"
		}
	}
	return false
}

// splitPoint is the end of a label's code, where a split acts.
func (g *generator) splitPoint() {
	for _, s := range g.sources {
		g.src = s
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if st, ok := n.(*ast.ExprStmt); ok && s.code(st) == "r.exec()" {
				g.edit(st, 0, "", "; if n := schemata.Armed(); n != 0 && r.holdsSpinlock() && schemata.On(n) { r.unlock() }")
			}
			return true
		})
	}
}

// A stepCase is the code of one label.
type stepCase struct {
	src   *source
	fn    string
	label string
	body  []ast.Stmt
	next  *ast.Ident // the label that it goes on to, if it is only one
}

// swapSteps exchanges neighbouring steps: X, Y, Z become Y, X, Z. Both must go
// on to one label only, nobody else may lead to Y, and no call may return to one
// of them.
func (g *generator) swapSteps() {
	cases := g.stepCases()
	uses := g.labelUses()
	for _, x := range cases {
		if x.next == nil {
			continue
		}
		for _, y := range cases {
			if y.label == x.next.Name && y.next != nil && y.fn == x.fn && y.next.Name != x.label &&
				uses.ok(x.label) && uses.ok(y.label) && len(uses.targets[y.label]) == 1 {
				g.swapPair(x, y, uses)
			}
		}
	}
}

func (g *generator) swapPair(x, y stepCase, uses *labelUses) {
	g.src, g.fn, g.lab = x.src, x.fn, ""
	n := g.add(x.next, "swap-steps", x.label+", "+y.label)
	pick := func(at target, label string) {
		g.src = at.src
		g.edit(at.id, n, "schemata.Pick(%d, "+label+", ", ")")
	}
	for _, at := range uses.targets[x.label] {
		pick(at, y.label)
	}
	pick(target{x.src, x.next}, y.next.Name)
	pick(target{y.src, y.next}, x.label)
}

// stepCases are the cases of all switches over labels, in order.
func (g *generator) stepCases() []stepCase {
	var all []stepCase
	for _, s := range g.sources {
		s.functions(func(fn *ast.FuncDecl) {
			for _, st := range fn.Body.List {
				sw, ok := st.(*ast.SwitchStmt)
				if !ok || sw.Tag == nil || !isPC(sw.Tag) {
					continue
				}
				for _, c := range sw.Body.List {
					if c := c.(*ast.CaseClause); len(c.List) == 1 {
						all = append(all, stepCase{s, fn.Name.Name, s.code(c.List[0]), c.Body, nextLabel(c.Body)})
					}
				}
			}
		})
	}
	return all
}

// nextLabel is the label that a list of statements goes on to on its way to the
// end, or nil.
func nextLabel(list []ast.Stmt) *ast.Ident {
	var next *ast.Ident
	for _, st := range list {
		as, ok := st.(*ast.AssignStmt)
		if ok && len(as.Lhs) == 1 && isPC(as.Lhs[0]) && isLabel(as.Rhs[0]) {
			next = as.Rhs[0].(*ast.Ident)
		}
	}
	return next
}

// A target is a place that leads to a label.
type target struct {
	src *source
	id  *ast.Ident
}

// labelUses are the places that lead to each label. A label is fixed if code
// uses it in another way: a call returns to it, or it is asked for.
type labelUses struct {
	targets map[string][]target
	fixed   map[string]bool
}

func (u *labelUses) ok(label string) bool { return !u.fixed[label] }

func (g *generator) labelUses() *labelUses {
	u := &labelUses{map[string][]target{}, map[string]bool{}}
	for _, s := range g.sources {
		known := map[*ast.Ident]bool{} // targets, and labels of cases
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, x := range n.List {
					if isLabel(x) {
						known[x.(*ast.Ident)] = true
					}
				}
			case *ast.AssignStmt:
				for i, x := range n.Rhs {
					if isPC(n.Lhs[i]) {
						u.target(s, x, known)
					}
				}
			case *ast.CallExpr:
				if s.code(n.Fun) == "r.call" {
					u.target(s, n.Args[0], known)
				}
			case *ast.Ident:
				if isLabel(n) && !known[n] {
					u.fixed[n.Name] = true
				}
			}
			return true
		})
	}
	return u
}

func (u *labelUses) target(s *source, x ast.Expr, known map[*ast.Ident]bool) {
	if id, ok := x.(*ast.Ident); ok && isLabel(id) {
		known[id] = true
		u.targets[id.Name] = append(u.targets[id.Name], target{s, id})
	}
}
