package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// fakeTracer stands for bpftrace and trace-cmd: it notes its arguments and
// recording in $TRACEFS, runs until it is interrupted, and then gives $RAW as
// what it recorded.
func fakeTracer() {
	note := filepath.Join(os.Getenv("TRACEFS"), filepath.Base(os.Args[0]))
	raw, err := os.ReadFile(os.Getenv("RAW"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "report" {
		fmt.Print(string(raw))
		return
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	program := ""
	if file := os.Args[len(os.Args)-1]; strings.HasSuffix(file, ".bt") {
		text, _ := os.ReadFile(file)
		program = string(text)
		fmt.Print(string(raw))
	}
	if i := slices.Index(os.Args, "-o"); i > 0 {
		_ = os.WriteFile(os.Args[i+1], nil, 0o644)
	}
	_ = os.WriteFile(note, []byte(strings.Join(os.Args[1:], " ")+"\n"+program), 0o644)
	<-stop
	_ = os.WriteFile(note+".stopped", nil, 0o644)
}
