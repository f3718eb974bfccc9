//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// onTerminal needs the pseudo-terminals of Linux; scripts that use it stop
// elsewhere.
func onTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no pseudo-terminals here")
}
