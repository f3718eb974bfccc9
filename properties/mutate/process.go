package mutate

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ServeFlag is the argument with which Build's program calls Serve; the number
// of the mutant follows.
const ServeFlag = "--serve"

// A process is the mutated program running one mutant: what it does cannot harm
// the others.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	enc     *json.Encoder
	answers chan answer
	stderr  strings.Builder
}

func start(program string, mutant int) (*process, error) {
	p := &process{cmd: exec.Command(program, ServeFlag, strconv.Itoa(mutant)), answers: make(chan answer)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.enc = json.NewEncoder(p.in)
	go func() {
		defer close(p.answers)
		for dec := json.NewDecoder(out); ; {
			var a answer
			if dec.Decode(&a) != nil {
				return
			}
			p.answers <- a
		}
	}()
	return p, nil
}

// ask requests the search of a case. A program that ends or does not answer
// within the limit is a fault of the mutant, and is not to be asked again.
func (p *process) ask(req request, limit time.Duration) answer {
	if p.enc.Encode(req) == nil {
		select {
		case a, ok := <-p.answers:
			if ok {
				return a
			}
		case <-time.After(limit):
			return answer{Fault: "no end within the time limit"}
		}
	}
	p.stop()
	first, _, _ := strings.Cut(p.stderr.String(), "\n")
	return answer{Fault: fmt.Sprintf("the program ended: %s", first)}
}

// stop ends the program.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Process.Kill()
	for range p.answers {
	}
	p.cmd.Wait()
}
