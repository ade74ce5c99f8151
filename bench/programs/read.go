package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tests are the results of tests that have no subtests, by package and name, and the packages that do not compile.
type tests struct {
	passed, failed, broken map[string]bool
}

// readTests reads the output of go test -json. Lines that are not JSON are left out: the compiler writes them.
func readTests(r io.Reader) (tests, error) {
	found := tests{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	parents := map[string]bool{}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		var event struct {
			Action, Package, Test string
			FailedBuild           string
		}
		if len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &event) == nil {
			name := event.Package + " " + event.Test
			switch {
			case event.Test == "" && event.Action == "fail" && event.FailedBuild != "":
				found.broken[event.Package] = true
			case event.Test == "":
			case event.Action == "run":
				for i := strings.LastIndexByte(event.Test, '/'); i > 0; i = strings.LastIndexByte(event.Test[:i], '/') {
					parents[event.Package+" "+event.Test[:i]] = true
				}
			case event.Action == "pass":
				found.passed[name] = true
			case event.Action == "fail":
				found.failed[name] = true
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return tests{}, err
		}
	}
	for _, all := range []map[string]bool{found.passed, found.failed} {
		maps.DeleteFunc(all, func(name string, _ bool) bool { return parents[name] })
	}
	return found, nil
}

// lost returns the tests that pass in t and not in after.
func (t tests) lost(after tests) []string {
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(t.passed)) {
		if !after.passed[name] {
			lost = append(lost, name)
		}
	}
	return lost
}

// summary is what vedette migrate says at its end.
type summary struct {
	done                 bool // there is a summary
	compiles             bool
	imports, conversions int
	byHand               []string
}

// readSummary reads the output of vedette migrate.
func readSummary(text string) summary {
	var s summary
	list := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if n := len(s.byHand); list && n > 0 && strings.HasPrefix(line, "    ") { // what to do about it
			s.byHand[n-1] += " " + strings.TrimSpace(line)
			continue
		}
		if list && strings.HasPrefix(line, "  ") {
			s.byHand = append(s.byHand, strings.TrimSpace(line))
			continue
		}
		list = line == "To do by hand:"
		if changed, ok := strings.CutPrefix(line, "Changed: "); ok {
			s.done = true
			for part := range strings.SplitSeq(changed, ", ") {
				n, _ := strconv.Atoi(strings.Fields(part)[0])
				switch {
				case strings.Contains(part, " file"):
					s.imports = n
				case strings.Contains(part, "conversion"):
					s.conversions = n
				}
			}
		}
		s.compiles = s.compiles || line == "The program and its tests compile." || line == "The program compiles, and so do the tests of these packages."
	}
	return s
}

// table returns the results as a table in Markdown, and a list of what is left under it.
func table(results []result) string {
	var b, left strings.Builder
	b.WriteString("| program | tests before | imports | conversions | by hand | compiles | tests after |\n| --- | ---: | ---: | ---: | ---: | --- | ---: |\n")
	for _, r := range results {
		name := r.Name
		if r.Version != "" {
			name += " " + r.Version
		}
		if len(r.Edits) > 0 {
			fmt.Fprintf(&left, "%s: prepared for both sides by go mod edit %s, since %s\n", name, strings.Join(r.Edits, " "), r.Because)
		}
		if r.err != nil {
			fmt.Fprintf(&b, "| %s | – | – | – | – | – | – |\n", name)
			fmt.Fprintf(&left, "%s: %v\n", name, r.err)
			continue
		}
		compiles := "yes"
		if !r.summary.compiles {
			compiles = "no"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %d |\n", name, len(r.before.passed), r.summary.imports, r.summary.conversions,
			len(r.summary.byHand), compiles, len(r.after.passed))
		for _, item := range r.summary.byHand {
			fmt.Fprintf(&left, "%s: by hand: %s\n", name, item)
		}
		for _, test := range r.before.lost(r.after) {
			fmt.Fprintf(&left, "%s: passed before: %s\n", name, test)
		}
		for _, test := range slices.Sorted(maps.Keys(r.before.failed)) {
			fmt.Fprintf(&left, "%s: failed before: %s\n", name, test)
		}
	}
	if left.Len() > 0 {
		b.WriteString("\n" + left.String())
	}
	return b.String()
}

// verdict returns an error that counts the programs that were not ported.
func verdict(results []result) error {
	missing, failed := 0, 0
	for _, r := range results {
		switch {
		case r.err != nil:
			missing++
		case !r.summary.compiles || len(r.before.lost(r.after)) > 0:
			failed++
		}
	}
	if missing+failed == 0 {
		return nil
	}
	return fmt.Errorf("of %d programs, %d do not compile or have tests that pass no more, and %d could not be tried", len(results), failed, missing)
}
