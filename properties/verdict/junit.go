package verdict

import (
	"encoding/xml"
	"fmt"
	"io"

	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// JUnit writes outcomes as JUnit XML: a suite for each search, a case for each
// property.
type JUnit struct {
	// Name is the name of the whole.
	Name string
	// Trace names the file of a counterexample, or "".
	Trace func(*Outcome, *statespace.Violation) string
	// Differ says how an outcome differs from its record. If it is nil, there
	// are no records, and a violation is a failure; otherwise a difference is.
	Differ func(*Outcome) string
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Write writes the outcomes.
func (j *JUnit) Write(w io.Writer, outcomes []*Outcome) error {
	all := junitSuites{Name: j.Name}
	seconds := 0.0
	for _, o := range outcomes {
		s := j.suite(o)
		all.Suites = append(all.Suites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		seconds += o.Seconds
	}
	all.Time = fmt.Sprintf("%.3f", seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (j *JUnit) suite(o *Outcome) junitSuite {
	s := junitSuite{Name: o.Case.String()}
	s.Time = fmt.Sprintf("%.3f", o.Seconds)
	if o.Reduced() {
		s.Properties = []junitProperty{{"reduction", o.Reduction.String()}}
	}
	for _, p := range o.Properties {
		s.add(j.propertyCase(o, p))
	}
	if j.Differ != nil {
		c := junitCase{Class: o.Case.String(), Name: "record"}
		if d := j.Differ(o); d != "" {
			c.Failure = &junitMessage{Message: "differs from its record", Type: "differs", Text: d}
		}
		s.add(c)
	}
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

func (j *JUnit) propertyCase(o *Outcome, p *properties.Property) junitCase {
	c := junitCase{Class: o.Case.String(), Name: p.Name}
	switch v := o.Of(p); v {
	case Violated:
		x := o.Search.Violation(p.Name)
		text := spec.Count(len(x.Path), "step", "steps")
		if file := j.Trace(o, x); file != "" {
			text += "; trace: " + file
		}
		if j.Differ != nil {
			c.Output = "violated: not so that " + p.Claim + "; " + text
		} else {
			c.Failure = &junitMessage{Message: "not so that " + p.Claim, Type: string(v), Text: text}
		}
	case NotExhausted:
		c.Error = &junitMessage{Message: "not exhausted: " + o.Search.Reason, Type: string(v)}
	case NotExercised:
		c.Skipped = &junitMessage{Message: "it never arose that " + p.Antecedent}
	}
	return c
}
