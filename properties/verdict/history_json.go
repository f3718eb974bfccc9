package verdict

// A MutantReport is one bug, as `cilcheck history --json` prints it. Of a bug
// that cannot be shown, Missing says why, and all below it is empty.
type MutantReport struct {
	Name    string `json:"name"`
	Bug     string `json:"bug"`
	Fix     string `json:"fix"` // 12 digits of the commit, or ""
	Subject string `json:"subject"`
	Kernel  string `json:"kernel"`
	Seen    string `json:"seen"`
	Missing string `json:"missing"`
	// Clear says why the mutant is searched and shows nothing, Cure what clears a
	// bug that is open.
	Clear string `json:"clear"`
	Cure  string `json:"cure"`

	Property string `json:"property"`
	Scenario string `json:"scenario"`
	// WithoutFix and WithFix are the searches of the scenario.
	WithoutFix *SearchReport `json:"without_fix"`
	WithFix    *SearchReport `json:"with_fix"`
	// Found says that the property is violated without the fix and holds with it.
	Found bool `json:"found"`
	// Also are other properties that are violated without the fix only.
	Also []string `json:"also"`
	// Steps is the length of the shortest violation.
	Steps int `json:"steps"`
}

// A SearchReport is one search, for MutantReport.
type SearchReport struct {
	Variant string  `json:"variant"`
	Verdict Verdict `json:"verdict"` // on the property of the bug
	States  int     `json:"states"`
	Seconds float64 `json:"seconds"`
}

// NewHistoryReport reports on mutants; the trials are those that can be shown,
// in the same order.
func NewHistoryReport(mutants []*Mutant, trials []*Trial) []MutantReport {
	reports := []MutantReport{}
	for _, m := range mutants {
		r := MutantReport{
			Name: m.Name, Bug: m.Bug, Fix: m.Fix, Subject: m.Subject, Kernel: m.Kernel, Seen: m.Seen,
			Missing: m.Missing, Clear: m.Clear, Cure: m.Cure, Also: []string{},
		}
		if m.Shown() {
			t := trials[0]
			trials = trials[1:]
			r.Property, r.Scenario = m.Property.Name, m.Scenario.Name
			r.WithoutFix = newSearchReport(t.Mutated, t.With())
			r.WithFix = newSearchReport(t.Fixed, t.Cleared())
			r.Found, r.Steps = t.Found(), t.Steps()
			r.Also = append(r.Also, t.Also()...)
		}
		reports = append(reports, r)
	}
	return reports
}

func newSearchReport(o *Outcome, v Verdict) *SearchReport {
	return &SearchReport{Variant: o.Case.Variant.String(), Verdict: v, States: o.Search.States, Seconds: o.Seconds}
}
