// Command mutants makes small changes of the model's source, one at a time, and
// says which of them the verdicts tell apart. It is run from the root of the
// module, whose source it needs; make mutants does.
//
//	mutants                       run all, print the report
//	mutants -o MUTANTS.txt        write it to a file
//	mutants -only 'push_now.go'   only mutants whose name matches
//	mutants -save r.json          keep the results, too
//	mutants -load r.json          report kept results again, with new reasons, but
//	                              for mutants that are no more; with -only, run
//	                              these again first
//	mutants -list                 name them
//
// Exit codes: 0 every survivor is explained; 1 one is not, or an explanation is
// of no use any more; 2 bad usage, or the job could not be done.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"cilcheck/properties/mutate"
)

// options are what the command line says.
type options struct {
	out   string
	only  *regexp.Regexp
	list  bool
	save  string
	load  string
	limit mutate.Options
}

// errDiffers: what led to it has been printed.
var errDiffers = errors.New("a survivor without a reason, or a reason without a survivor")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errDiffers):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, log io.Writer) error {
	if len(args) == 2 && args[0] == mutate.ServeFlag { // the program that was mutated
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return mutate.Serve(n, in, out)
	}
	o, err := parse(args, log)
	if err != nil {
		return err
	}
	all, err := mutate.Explanations()
	if err != nil {
		return err
	}
	files, err := mutate.ReadModel(".")
	if err != nil {
		return err
	}
	mutants, mutated, err := mutate.Generate(files)
	if err != nil {
		return err
	}
	chosen := choose(mutants, o.only)
	if o.list {
		for _, m := range chosen {
			fmt.Fprintln(out, m.Key())
		}
		return nil
	}
	results, err := obtain(ctx, mutants, chosen, mutated, o, log)
	if err != nil {
		return err
	}
	return report(o, mutants, results, all, out, log)
}

func parse(args []string, log io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(log)
	only := ""
	f.StringVar(&o.out, "o", "", "write the report to this file")
	f.StringVar(&only, "only", "", "run only mutants whose name matches this regular expression")
	f.BoolVar(&o.list, "list", false, "print the names of the mutants")
	f.StringVar(&o.save, "save", "", "keep the results in this file")
	f.StringVar(&o.load, "load", "", "report the results kept in this file; with -only, run these mutants again")
	f.IntVar(&o.limit.Large, "large", 60000, "leave out cases of the current kernel with more states")
	f.IntVar(&o.limit.Small, "small", 8000, "leave out cases of other variants with more states")
	f.DurationVar(&o.limit.Time, "time", 10*time.Minute, "longest time of one search: only a mutant that does not end takes it")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	return o, nil
}

func choose(mutants []mutate.Mutant, only *regexp.Regexp) []mutate.Mutant {
	var chosen []mutate.Mutant
	for _, m := range mutants {
		if only.MatchString(m.Key()) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// search builds the mutated copy and runs the mutants; log shows how far it is.
func search(ctx context.Context, chosen []mutate.Mutant, mutated map[string][]byte, o options, log io.Writer) ([]mutate.Result, error) {
	dir, err := os.MkdirTemp("", "cilcheck-mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := mutate.Build(".", dir, mutated)
	if err != nil {
		return nil, err
	}
	done := 0
	o.limit.Finished = func(r mutate.Result) {
		done++
		if !r.Fate.Killed() || done%100 == 0 {
			fmt.Fprintf(log, "%d of %d: %s: %s\n", done, len(chosen), r.Fate, r.Mutant.Key())
		}
	}
	return mutate.Run(ctx, program, chosen, o.limit)
}

// obtain runs the chosen mutants, or takes results that were kept and runs only
// those anew that are asked for by name.
func obtain(ctx context.Context, mutants, chosen []mutate.Mutant, mutated map[string][]byte, o options, log io.Writer) ([]mutate.Result, error) {
	var results []mutate.Result
	var err error
	if o.load != "" {
		if results, err = load(o.load); err != nil {
			return nil, err
		}
		results = mutate.Current(results, mutants)
	}
	if o.load == "" || o.only.String() != "" {
		again, err := search(ctx, chosen, mutated, o, log)
		if err != nil {
			return nil, err
		}
		results = mutate.Merge(results, again)
	}
	if o.save != "" {
		err = save(o.save, results)
	}
	return results, err
}

func save(file string, results []mutate.Result) error {
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

func load(file string) ([]mutate.Result, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var results []mutate.Result
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("%s: not results that -save kept: %w", file, err)
	}
	return results, nil
}

func report(o options, mutants []mutate.Mutant, results []mutate.Result, all []mutate.Explanation, out, log io.Writer) error {
	r := mutate.NewReport(results, all)
	var text bytes.Buffer
	fmt.Fprintf(&text, "Mutation adequacy: which small changes of the model's source the verdicts tell apart.\n")
	fmt.Fprintf(&text, "Machine: %d CPUs, %s, %s/%s; %s.\n", runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().Format("2 January 2006"))
	fmt.Fprintf(&text, "Command: %s\n\n", strings.Join(append([]string{"mutants"}, os.Args[1:]...), " "))
	if err := r.Write(&text); err != nil {
		return err
	}
	if o.out == "" {
		if _, err := out.Write(text.Bytes()); err != nil {
			return err
		}
	} else if err := os.WriteFile(o.out, text.Bytes(), 0o666); err != nil {
		return err
	}
	stale := mutate.Stale(all, mutants, results)
	if stale != nil {
		fmt.Fprintln(log, stale)
	}
	if stale != nil || r.Unexplained != nil {
		return errDiffers
	}
	return nil
}
