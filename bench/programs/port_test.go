package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

const before = `# example.com/a
./a.go:1: an error of the compiler
{"Action":"run","Package":"a","Test":"TestA"}
{"Action":"run","Package":"a","Test":"TestA/one"}
{"Action":"run","Package":"a","Test":"TestA/one/deep"}
{"Action":"pass","Package":"a","Test":"TestA/one/deep"}
{"Action":"pass","Package":"a","Test":"TestA/one"}
{"Action":"pass","Package":"a","Test":"TestA"}
{"Action":"run","Package":"a","Test":"TestB"}
{"Action":"fail","Package":"a","Test":"TestB"}
{"Action":"run","Package":"a","Test":"TestC"}
{"Action":"skip","Package":"a","Test":"TestC"}
{"Action":"pass","Package":"a"}
{"Action":"fail","Package":"b","FailedBuild":"b [b.test]"}
{"Action":"run","Package":"c","Test":"TestA"}
{"Action":"pass","Package":"c","Test":"TestA"}`

func names(m map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

func TestReadTestsCountsTestsWithoutSubtests(t *testing.T) {
	found, err := readTests(strings.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(found.passed)+"; "+names(found.failed)+"; "+names(found.broken), "a TestA/one/deep, c TestA; a TestB; b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	after, err := readTests(strings.NewReader(`{"Action":"run","Package":"c","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"c","Test":"TestA"}`))
	if err != nil {
		t.Fatal(err)
	}
	if lost := found.lost(after); len(lost) != 1 || lost[0] != "a TestA/one/deep" {
		t.Errorf("lost: %v", lost)
	}
}

const written = `rewriting imports …

Changed: 33 imports in 14 files, 1 import of auth plugins removed, 1 call of fake.NewClientset in tests to NewSimpleClientset, 2 conversions of a rest.Config
Left with client-go:
  k8s.io/client-go/util/homedir (1 import)
To do by hand:
  main.go:3: give each queue its provider
  main.go:7: undefined: x
    define it
The program and its tests compile.
To see the changes: git diff
`

func TestReadSummary(t *testing.T) {
	s := readSummary(written)
	if !s.done || !s.compiles || s.imports != 33 || s.conversions != 2 || len(s.byHand) != 2 || s.byHand[1] != "main.go:7: undefined: x define it" {
		t.Errorf("%+v", s)
	}
	if s := readSummary("Changed: 1 import in 1 file\nThe program compiles, and so do the tests of these packages.\n"); !s.done || !s.compiles {
		t.Errorf("%+v", s)
	}
	if s := readSummary("error: the git tree is not clean\n"); s.done || s.compiles {
		t.Errorf("%+v", s)
	}
}

func TestVerdictAndTable(t *testing.T) {
	passed := tests{passed: map[string]bool{"a TestA": true}}
	good := result{program: program{Name: "good", Version: "v1"}, before: passed, after: passed, summary: summary{done: true, compiles: true}}
	lost, broken, missing := good, good, good
	lost.Name, lost.after = "lost", tests{}
	broken.Name, broken.summary.compiles = "broken", false
	lost.Edits, lost.Because = []string{"-droptool=example.com/tool"}, "it is not to be had"
	missing.Name, missing.err = "missing", errors.New("not to be had")
	if err := verdict([]result{good}); err != nil {
		t.Error(err)
	}
	for _, r := range []result{lost, broken, missing} {
		if verdict([]result{good, r}) == nil {
			t.Errorf("no error for %s", r.Name)
		}
	}
	text := table([]result{good, lost, missing})
	for _, want := range []string{"| good v1 | 1 | 0 | 0 | 0 | yes | 1 |", "lost v1: passed before: a TestA", "lost v1: prepared for both sides by go mod edit -droptool=example.com/tool, since it is not to be had", "missing v1: not to be had"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose([]string{"metrics-server", "example.com/a/b@v1.0.0", ".."})
	if err != nil || len(chosen) != 3 || chosen[0].Version == "" || chosen[1].Module != "example.com/a/b" || chosen[2].Folder == "" {
		t.Errorf("%+v, %v", chosen, err)
	}
	own, err := choose([]string{"metrics-server=.."})
	if err != nil || len(own) != 1 || own[0].Folder == "" || len(own[0].Packages) != 2 {
		t.Errorf("metrics-server=..: %+v, %v", own, err)
	}
	for _, arg := range []string{"no-such-program=..", "metrics-server=no-such-folder"} {
		if _, err := choose([]string{arg}); err == nil || !strings.Contains(err.Error(), arg) {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if _, err := choose([]string{"no-such-program"}); err == nil {
		t.Error("no error")
	}
	if all, err := choose(nil); err != nil || len(all) != len(programs) {
		t.Errorf("%d, %v", len(all), err)
	}
}
