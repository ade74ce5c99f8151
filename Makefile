# Go, make and bash are all that is needed. `make` alone lists the targets.

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Nested modules are found here, not in a go.work of the user's.
export GOWORK := off

GO       ?= go
RUN      ?=
FUZZTIME ?= 20s
LENGTH   ?= 80s
SEED     ?= 5000
SEEDS    ?= 100
FOR      ?= 2m

MODULES  := $(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod))
EXAMPLES := $(patsubst %/main.go,%,$(wildcard examples/*/main.go))

# The race detector needs cgo, and cgo a C compiler. Without one the tests still run, and say so.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# With the race detector a process waits for a second before it exits, so that goroutines that still run can report. Most
# packages check that none do.
export GORACE := atexit_sleep_ms=50

# With less garbage collection, the compiler takes 14 % less processor time and staticcheck 27 % less, and twice the memory (1 GB). Tests
# run with the default, since some look at the heap.
lean = GOGC=400

# Without the tables for debuggers, a test is linked in three quarters of the time. Stack traces do not need them.
slim = -ldflags=-w

# Results of each test run, for the summary at the end of `make test` and `make ci`.
RESULTS := $(CURDIR)/bin/results

# staticcheck keeps facts about every package that it has seen. They lie apart, so that clean-cache can remove them.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vedette
export STATICCHECK_CACHE := $(CACHE)/staticcheck

# Free disk space that `make ci` asks for, in GB.
NEEDED := 15

# $(call step,NAME,COMMAND) announces a command, and names it again if it fails.
step = echo "==> $(1)"; { $(2); } || { echo "==> FAILED: $(1)" >&2; exit 1; }

tool = $(GO) tool -modfile="$(CURDIR)/tools/go.mod" $(1)

# $(call gotest,NAME,ARGUMENTS) runs go test in the current folder. A package is one line, a failed test its whole output.
gotest = mkdir -p "$(RESULTS)" && $(lean) $(call tool,gotestsum) --format pkgname-and-test-fails --format-hide-empty-pkg --format-icons text \
	--hide-summary skipped --jsonfile "$(RESULTS)/$(1).json" -- -exec 'env -u GOGC' $(2)

# The benchmarks measure, so they are compiled as programs are; all other modules for the race detector.
race_in = $$([ $(1) = bench ] || echo $(RACE))

# A module without packages (tools/) has nothing to vet or to test. One that cannot be listed has: an error to show.
packages_in = [ -n "$$(cd $(1) && $(GO) list ./... 2>/dev/null || echo broken)" ]

.PHONY: help
help: ## list the targets
	@echo 'make TARGET, where TARGET is'
	@while IFS= read -r line; do \
		if [[ $$line =~ ^([a-z-]+):.*[#]{2}\ (.*)$$ ]]; then \
			printf '  %-14s %s\n' "$${BASH_REMATCH[1]}" "$${BASH_REMATCH[2]}"; \
		fi; \
	done < $(firstword $(MAKEFILE_LIST))

.PHONY: test
test: clear lint unit examples summary ## before each commit: lint, unit and examples of this module, small sizes

.PHONY: ci
ci: clear disk lint lint-modules unit-full unit-norace histories examples bench-smoke control-plane side-by-side summary ## everything that CI runs: the above in full size, and all nested modules

# Everything is compiled for the race detector alone, also for vet and staticcheck: to compile it twice takes minutes. What
# depends on the build tag race is vetted without it by unit-norace.
.PHONY: lint
lint: ## gofmt, tidy and staticcheck of this module; go test runs vet
	@$(call step,gofmt,$(MAKE) --no-print-directory gofmt)
	@$(call step,tidy .,$(GO) mod tidy -diff)
	@$(call step,staticcheck .,checker=$$($(call tool,-n staticcheck)) && $(lean) GOFLAGS="$$GOFLAGS $(RACE)" $$checker ./...)

.PHONY: lint-modules
lint-modules: ## tidy, vet and staticcheck of the nested modules
	@for m in $(MODULES); do \
		if $(call packages_in,$$m); then \
			$(call step,vet $$m,(cd $$m && $(GO) vet $(call race_in,$$m) ./...)); \
			$(call step,staticcheck $$m,(cd $$m && checker=$$($(call tool,-n staticcheck)) && $(lean) GOFLAGS="$$GOFLAGS $(call race_in,$$m)" $$checker ./...)); \
		fi; \
		$(call step,tidy $$m,(cd $$m && $(GO) mod tidy -diff)); \
	done

.PHONY: gofmt
gofmt:
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) || exit 1; \
	if [ -n "$$files" ]; then \
		echo "not formatted, run gofmt -w on:"; \
		echo "$$files"; \
		exit 1; \
	fi

.PHONY: unit
unit: race-note ## vet and tests of this module in small sizes, with the race detector
	@$(call step,vet and test .,$(call gotest,unit,$(RACE) $(slim) -short -vet=all -timeout 5m ./...))

.PHONY: unit-full
unit-full: race-note ## the same in full size
	@$(call step,vet and test . in full size,$(call gotest,unit,$(RACE) $(slim) -vet=all -timeout 10m ./...))

# Tests that count allocations or bytes, or that need speed, skip themselves under the race detector. Their packages have a
# file for the build tag race.
.PHONY: unit-norace
unit-norace: ## packages with tests that the race detector disturbs, without it
	@$(if $(RACE),$(call step,vet and test . without the race detector,packages=$$(grep -rl --include='*_test.go' --exclude-dir=bench --exclude-dir=testenv --exclude-dir=bridge '^//go:build race' . | xargs -n1 dirname | sort -u) && $(call gotest,unit-norace,-vet=all -timeout 10m $$packages)))

# In virtual time, and with goroutines that sleep at random at the places that internal/perturb marks.
.PHONY: histories
histories: ## random histories of the ShardingInformer under random schedules, for LENGTH=80s
	@$(call step,histories of shards,$(call gotest,histories,-tags perturb $(slim) -vet=off -timeout 60m -run TestHistories ./shard -length=$(LENGTH)))

.PHONY: bench-test
bench-test: ## tests of the benchmarks, and the comparison of names and signatures with client-go
	@cd bench && $(call step,test bench,$(call gotest,bench,-timeout 15m ./...))

.PHONY: e2e
e2e: race-note control-plane ## end-to-end tests on a real API server, and scripts with kubectl
	@cd testenv && $(call step,test testenv,$(call gotest,testenv,$(RACE) $(slim) -timeout 15m ./...))

.PHONY: browser
browser: race-note ## tests of the live page in Chromium, which is installed if it is missing
	@cd console/browsertest && $(call step,test console/browsertest,$(call gotest,browsertest,$(RACE) $(slim) -timeout 15m ./...))

.PHONY: bridge
bridge: race-note control-plane ## tests of the bridge, client-go's own in patched copies, and controller-runtime's of its cache on a real API server
	@cd bridge && $(call step,test bridge,$(call gotest,bridge,$(RACE) $(slim) -timeout 5m ./...))
	@cd bridge/ctrl && $(call step,test bridge/ctrl,$(call gotest,bridge-ctrl,$(RACE) $(slim) -timeout 5m ./...))
	@cd bridge/suites && $(call step,test bridge/suites,$(call gotest,bridge-suites,-timeout 30m ./...))

.PHONY: bridge-suites
bridge-suites: control-plane ## all of controller-runtime's own tests that the bridge is for: five minutes; BRIDGE_SUITES_RACE=1 for the race detector
	@cd bridge/suites && $(call step,test bridge/suites,BRIDGE_SUITES=all $(GO) test -count=1 -v -timeout 60m ./...)

# Some 3,000 grants of shards for each seed, in two seconds of processor time. A few seeds are in each test run.
.PHONY: simulate
simulate: ## groups of replicas in virtual time under faults: SEEDS=100 for so many random seeds, SEED=N to repeat one
	@$(call step,simulate groups,$(GO) test ./shardgroup -run TestSimulation -count 1 -timeout 24h -v -args $(if $(filter file,$(origin SEED)),-seeds $(SEEDS),-seed $(SEED)))

.PHONY: replicas
replicas: control-plane ## replicas as processes on a real API server, which are killed, frozen and cut off: FOR=2m, REPLICAS=args for more
	@$(call step,replicas,(cd testenv && $(GO) run ./cmd/replicas -for $(FOR) $(REPLICAS)))

# Minutes to build and minutes to run, so it is not in ci; its comparison has tests of its own in testenv.
.PHONY: kcm
kcm: control-plane ## kube-controller-manager, stock and on Vedette, do the same work on two clusters: are the objects the same? SEED=5000
	@$(call step,kube-controller-manager on Vedette,(cd testenv && $(GO) run ./cmd/kcm -seed $(SEED)))

# The end-to-end tests, and those of controller-runtime, wait for most of the time. Their lines are marked, since they come between those of
# the others.
.PHONY: side-by-side
side-by-side: ## e2e and bridge beside bench-test and browser
	@(set -o pipefail; $(MAKE) --no-print-directory e2e bridge 2>&1 | sed -u 's/^/e2e | /') & e2e=$$!; \
	$(MAKE) --no-print-directory bench-test browser; others=$$?; \
	wait $$e2e && exit $$others

.PHONY: clear
clear:
	@rm -rf "$(RESULTS)"

.PHONY: summary
summary: ## of the last test run: how many ran, which were skipped and why, and the ten slowest
	@echo '==> summary'
	@cat "$(RESULTS)"/*.json > "$(RESULTS)/all" && $(call tool,gotestsum) --format none --hide-summary failed,errors --raw-command -- cat "$(RESULTS)/all"
	@echo 'the ten slowest:' && $(call tool,gotestsum) tool slowest --num 10 --threshold 1ms --jsonfile "$(RESULTS)/all"

.PHONY: disk
disk: ## is there enough free disk space for make ci?
	@free=$$(df -Pk . | awk 'NR == 2 { print int($$4 / 1048576) }'); \
	echo "==> disk: make ci needs up to $(NEEDED) GB, $$free GB are free; the compiler cache has $$(du -sh "$$($(GO) env GOCACHE)" 2>/dev/null | cut -f1)"; \
	if [ "$$free" -lt $(NEEDED) ]; then echo "not enough disk space: free some, for example with 'make clean-cache' and 'go clean -cache'" >&2; exit 1; fi

.PHONY: clean-cache
clean-cache: ## remove what this project has put outside the tree (control plane, facts of staticcheck) and into bin/
	@rm -rf bin "$(STATICCHECK_CACHE)"
	@cd testenv && $(GO) run ./cmd/testenv clean
	@echo "Go's own cache is shared with other projects and was left alone ($$(du -sh "$$($(GO) env GOCACHE)" 2>/dev/null | cut -f1)): go clean -cache"

# Before the tests, as go test shows nothing of what it takes minutes to do.
.PHONY: control-plane
control-plane: ## build kube-apiserver, etcd and kubectl, which tests run: minutes once, then kept outside the tree
	@$(call step,build the control plane,(cd testenv && $(GO) run ./cmd/testenv build))
	@$(call step,build kubectl,(cd testenv && $(GO) run ./cmd/testenv build kubectl))

.PHONY: testenv
testenv: ## run a real API server until Ctrl-C, to try things out on
	@cd testenv && $(GO) run ./cmd/testenv run

.PHONY: race-note
race-note:
	@if [ -z "$(RACE)" ]; then echo '==> no C compiler (or CGO_ENABLED=0): testing without the race detector'; fi

.PHONY: examples
examples: ## build and run each program in examples/, four at a time
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	$(call step,build examples,$(lean) $(GO) build $(RACE) $(slim) -o "$$dir/" $(addprefix ./,$(EXAMPLES))); \
	printf '%s\n' $(notdir $(EXAMPLES)) | xargs -P 4 -I {} bash -c \
		'"$$1/$$2" > "$$1/$$2.out" 2>&1; code=$$?; echo "==> run examples/$$2"; cat "$$1/$$2.out"; [ $$code = 0 ] || { echo "==> FAILED: run examples/$$2" >&2; exit 1; }' \
		_ "$$dir" {}

.PHONY: bench
bench: ## compare with client-go, about 45 minutes; RUN=queue picks workloads by a regular expression
	@$(call step,bench $(RUN),(cd bench && $(GO) run . -run '$(RUN)'))

.PHONY: bench-smoke
bench-smoke: ## each workload once, in a tiny size: do both sides still do the work?
	@$(call step,bench smoke,(cd bench && $(GO) run . -smoke -run '$(RUN)'))

.PHONY: port
port: ## migrate real programs by 'vedette migrate' alone and compare their tests; RUN=metrics-server picks one
	@$(call step,port $(RUN),(cd bench && $(GO) run ./programs $(RUN)))

.PHONY: bench-record
bench-record: ## the whole comparison, and its table into bench/RESULTS.md
	@$(call step,bench record,(cd bench && $(GO) run . -record RESULTS.md))

.PHONY: fuzz
fuzz: ## each fuzz target of this module for FUZZTIME=20s
	@packages=$$($(GO) list ./...) || exit 1; \
	for package in $$packages; do \
		targets=$$($(GO) test -list '^Fuzz' $$package) || { echo "$$targets"; exit 1; }; \
		for target in $$targets; do \
			if [[ $$target == Fuzz* ]]; then \
				$(call step,fuzz $$package $$target,$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package); \
			fi; \
		done; \
	done

.PHONY: cover
cover: ## what the tests of this module cover; the lines are in coverage.out
	@$(call step,cover,$(GO) test -timeout 5m -coverpkg=./... -coverprofile=coverage.out ./... && $(GO) tool cover -func=coverage.out)
