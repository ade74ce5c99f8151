# Go, make and bash are all that is needed. `make` alone lists the targets.

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Nested modules are found here, not in a go.work of the user's.
export GOWORK := off

GO       ?= go
RUN      ?=
FUZZTIME ?= 20s

MODULES  := $(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod))
EXAMPLES := $(patsubst %/main.go,%,$(wildcard examples/*/main.go))

# Most packages of the clients are a few lines a kind, tested from elsewhere: what has no tests need not be listed.
quietly = set -o pipefail; $(1) | sed '/\[no test files\]/d; /\[no tests to run\]/d'

# The race detector needs cgo, and cgo a C compiler. Without one the tests still run, and say so.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

comma := ,

# $(call step,NAME,COMMAND) announces a command, and names it again if it fails.
step = echo "==> $(1)"; { $(2); } || { echo "==> FAILED: $(1)" >&2; exit 1; }

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
test: lint examples bench-smoke unit modules ## everything that CI runs: all of lint, examples, bench-smoke, unit, modules

.PHONY: lint
lint: ## gofmt, vet, staticcheck and tidy, for this module and the nested ones
	@$(call step,gofmt,$(MAKE) --no-print-directory gofmt)
	@for m in . $(MODULES); do \
		if $(call packages_in,$$m); then \
			$(call step,vet $$m,(cd $$m && $(GO) vet ./...)); \
			$(call step,staticcheck $$m,(cd $$m && $(GO) tool -modfile="$(CURDIR)/tools/go.mod" staticcheck ./...)); \
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
unit: race-note ## tests of this module, with the race detector
	@$(if $(RACE),$(call step,test . for allocations$(comma) which the race detector hides,$(call quietly,$(GO) test -timeout 5m -run Alloc ./...)))
	@$(call step,test .,$(call quietly,$(GO) test $(RACE) -timeout 5m ./...))

.PHONY: modules
modules: race-note control-plane ## tests of each nested module, with the race detector
	@for m in $(MODULES); do \
		if $(call packages_in,$$m); then \
			$(call step,test $$m,(cd $$m && $(GO) test $(RACE) -timeout 15m ./...)); \
		fi; \
	done

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
examples: ## build and run each program in examples/
	@for e in $(EXAMPLES); do \
		$(call step,run $$e,$(GO) run ./$$e); \
	done

.PHONY: bench
bench: ## compare with client-go, about 45 minutes; RUN=queue picks workloads by a regular expression
	@$(call step,bench $(RUN),(cd bench && $(GO) run . -run '$(RUN)'))

.PHONY: bench-smoke
bench-smoke: ## each workload once, in a tiny size: do both sides still do the work?
	@$(call step,bench smoke,(cd bench && $(GO) run . -smoke -run '$(RUN)'))

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
