package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vedette.dev/bench/harness"
)

// TestMain lets the test binary be its own child process, with the workloads below.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == harness.ChildCommand {
		p := program{workloads: testWorkloads(), out: os.Stdout, errs: os.Stderr}
		os.Exit(p.main(context.Background(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

func testWorkloads() []harness.Workload {
	workload := func(name string, run func(), check error) harness.Workload {
		return harness.Workload{
			Name:    name,
			Doc:     "Does little.",
			Prepare: func(harness.Config) (harness.Trial, error) { return fake{run, check}, nil },
		}
	}
	misspelt := workload("test/misspelt", func() {}, nil)
	misspelt.Rows = []harness.Row{{Value: "p98"}}
	one, two := workload("test/pair-one", func() {}, nil), workload("test/pair-two", func() {}, nil)
	one.Together, two.Together = "pair", "pair"
	return []harness.Workload{
		one, two,
		workload("test/good", func() {}, nil),
		workload("test/wrong", func() {}, errors.New("two keys are missing")),
		workload("test/panics", func() { panic("no such luck") }, nil),
		workload("test/hangs", func() { select {} }, nil),
		misspelt,
	}
}

type fake struct {
	run   func()
	check error
}

func (f fake) Ops() int                        { return 10 }
func (f fake) Run()                            { f.run() }
func (f fake) Finish() (harness.Sample, error) { return nil, f.check }

// bench runs the program with the test workloads.
func bench(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	p := program{workloads: testWorkloads(), out: &o, errs: &e}
	code = p.main(context.Background(), args)
	return code, o.String(), e.String()
}

func TestProgram(t *testing.T) {
	tests := []struct {
		name string
		args string
		code int
		want []string // parts of the output, of either stream
	}{
		{"table", "-run good -repeats 1", 0, []string{"client-go", "vedette", "test/good"}},
		{"smoke", "-run good -smoke", 0, []string{"1 workloads did their work"}},
		{"list", "-list -run oo", 0, []string{"test/good", "Does little."}},
		{"help", "-h", 0, []string{"Examples:", "-repeats"}},
		{"failed check", "-run wrong", 1,
			[]string{"test/wrong on client-go, repeat 1", "check failed: two keys are missing"}},
		{"panic", "-run panics -smoke", 1, []string{"test/panics on client-go, repeat 1", "no such luck"}},
		{"hang", "-run hangs -timeout 300ms", 1,
			[]string{"test/hangs on client-go, repeat 1: not done after 300ms", "goroutine"}},
		{"row without a figure", "-run misspelt", 1, []string{`the sample lacks "p98"`}},
		{"unknown workload", "-run nothing", 2, []string{"matches no workload", "test/good", "test/wrong"}},
		{"bad pattern", "-run (", 2, []string{"-run: error parsing regexp"}},
		{"unknown flag", "-fast", 2, []string{"not defined: -fast", "Examples:"}},
		{"stray argument", "queue", 2, []string{`unexpected argument "queue"`, "-run"}},
		{"no repeats", "-repeats 0", 2, []string{"-repeats must be at least 1"}},
		{"no size", "-scale 0", 2, []string{"-scale must be above 0"}},
		{"recorded smoke", "-smoke -record x.md", 2, []string{"leave out -record"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := bench(strings.Fields(tt.args)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, part := range tt.want {
				if !strings.Contains(out+errs, part) {
					t.Errorf("no %q in the output:\n%s%s", part, out, errs)
				}
			}
		})
	}
}

func TestSidesAlternate(t *testing.T) {
	_, _, errs := bench("-run", "good", "-repeats", "2")
	var order []string
	for line := range strings.Lines(errs) {
		order = append(order, strings.Fields(line)[2])
	}
	if got, want := strings.Join(order, " "), "client-go, vedette, vedette, client-go,"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// Workloads that are measured together share their baseline, and all take turns.
func TestTogether(t *testing.T) {
	code, out, errs := bench("-run", "pair", "-repeats", "2")
	var order []string
	for line := range strings.Lines(errs) {
		words := strings.Fields(line)
		order = append(order, words[0]+" "+words[2])
	}
	want := "test/pair-one client-go,; test/pair-one vedette,; test/pair-two vedette,; " +
		"test/pair-two vedette,; test/pair-one vedette,; test/pair-one client-go,"
	if got := strings.Join(order, "; "); code != 0 || got != want {
		t.Errorf("exit code %d, order %s, want %s", code, got, want)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "test/pair") && len(strings.Fields(line)) < 5 {
			t.Errorf("no comparison in %q", line)
		}
	}
}

func TestFilesAreWritten(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "results.md")
	code, _, errs := bench("-run", "good", "-repeats", "1", "-record", page, "-cpuprofile", dir, "-memprofile", dir)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "| test/good |") || strings.Contains(string(text), dir) {
		t.Errorf("the record lacks the workload, or names a folder:\n%s", text)
	}
	profiles, _ := filepath.Glob(filepath.Join(dir, "test_good.*.1.*.pprof"))
	if len(profiles) != 4 {
		t.Errorf("profiles %v, want two a side", profiles)
	}
}
