# cilcheck: the targets a person or CI needs. Nothing here needs set-up beyond Go.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The longest that one search of the soak may take.
SOAK_TIME ?= 10m

.PHONY: help build check test lint soak bench mutants record clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

build: ## build bin/cilcheck
	$(GO) build -trimpath -o bin/cilcheck ./cmd/cilcheck

check: build ## answer the question: the kept traces, and the verdict table against its record
	@status=0; \
	bin/cilcheck replay --kept || status=$$?; \
	bin/cilcheck history || status=$$?; \
	bin/cilcheck answer --traces bin/traces || status=$$?; \
	exit $$status

test: ## everything go test has, with the race detector where goroutines meet
	$(GO) test ./...
	$(GO) test -race -skip 'Kill|PeakMemory|Spill' ./statespace/... ./wq/... -rapid.checks=1000
	$(GO) test -race -run 'Plan[A-Z]' ./properties/verdict

lint: ## gofmt, go vet and staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not gofmt'ed"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

soak: build ## the larger sizes: minutes to hours; results belong in SOAK.txt
	bin/cilcheck check --size soak --time $(SOAK_TIME) --variant "" --variant flush=never \
		--variant flush=never,wait=commit-if-queued --variant flush=on-restart

bench: ## benchmarks; results belong in BENCHMARKS.md
	$(GO) test -run '^$$' -bench . -benchmem ./statespace/... ./cil/...

mutants: ## small changes of the model's source: which do the verdicts see? (40 minutes; writes MUTANTS.txt)
	$(GO) run ./cmd/mutants -o MUTANTS.txt

record: build ## write the recorded verdicts and traces anew: read the difference before you commit it
	bin/cilcheck history --traces counterexamples/history
	bin/cilcheck answer --traces "" --write-records spec/library

clean: ## remove what was built
	rm -rf bin
