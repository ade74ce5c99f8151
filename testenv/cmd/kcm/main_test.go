package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"vedette.dev/testenv/internal/clusterdiff"
)

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if code := command(t.Context(), []string{"-help"}, &out, io.Discard); code != 0 || out.String() != usage {
		t.Errorf("code %d, said %q", code, &out)
	}
}

func TestMistakesAreExplained(t *testing.T) {
	t.Setenv("VEDETTE_TESTENV_DIR", t.TempDir())
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-sede=5"}, 2, "flag provided but not defined: -sede"},
		{[]string{"-seed=many"}, 2, "invalid value"},
		{[]string{"-seed=-1"}, 2, "-seed is -1, which is negative"},
		{[]string{"compare"}, 2, `there are no arguments, but got ["compare"]`},
		{[]string{"-vedette", t.TempDir()}, 1, "does not have the source of Vedette"},
	} {
		var errs bytes.Buffer
		code := command(t.Context(), c.args, io.Discard, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: code %d, said %q", c.args, code, &errs)
		}
		if c.code == 2 && !strings.Contains(errs.String(), "Run `kcm -help`") {
			t.Errorf("%q: does not say where help is: %q", c.args, &errs)
		}
	}
}

func TestManifests(t *testing.T) {
	entries, err := manifests.ReadDir("manifests")
	if err != nil || len(entries) == 0 {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := manifests.ReadFile("manifests/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		objects, err := parseManifest(data)
		if err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
		}
		for i, o := range objects {
			if o.GetKind() == "" || o.GetAPIVersion() == "" || o.GetName() == "" {
				t.Errorf("%s: object %d has no kind or no name", entry.Name(), i)
			}
		}
	}
	if _, err := parseManifest([]byte("kind: A\nkind: B")); err == nil {
		t.Error("a key that is there twice is no error")
	}
}

func TestEngineOf(t *testing.T) {
	const profile = `goroutine 1 [running]:
main.main()

goroutine 2 [select]:
k8s.io/client-go/tools/cache.(*Reflector).watchWithResync(0x1)
created by x

goroutine 3 [select]:
vedette.dev/internal/engine.(*Engine).run(0x1)
vedette.dev/internal/engine.(*Engine).start(0x1)
`
	if got, err := engineOf([]byte(profile)); err != nil || got != (engine{vedette: 1, clientGo: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := engineOf([]byte("404 page not found")); err == nil {
		t.Error("a page is taken for a profile")
	}
}

func TestNumberAfter(t *testing.T) {
	const status = "Name:\tkcm\nVmHWM:\t  1234 kB\nVmRSS:\t  99 kB\n"
	if n, err := numberAfter(status, "VmHWM:"); n != 1234 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := numberAfter(status, "VmPeak:"); err == nil {
		t.Error("a number that is not there")
	}
}

func TestReportNamesWhatDiffers(t *testing.T) {
	sides := []*side{{name: stock}, {name: patched}}
	result := clusterdiff.Result{
		Compared:    map[string]int{"Pod": 3},
		Differences: []clusterdiff.Difference{{Kind: "Pod", Object: "Pod/work/web-#1", Lines: make([]string, maxLines+2)}},
	}
	var out bytes.Buffer
	report(&out, options{}, sides, result, 0)
	for _, want := range []string{"Pod/work/web-#1 differs: stock, patched", "and 2 more", "3 objects compared, 1 differ"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("does not say %q: %s", want, &out)
		}
	}
}

// The side that failed says why, and not the one that was ended because of it.
func TestFirstCause(t *testing.T) {
	if err := firstCause([]error{context.Canceled, io.EOF}); err != io.EOF {
		t.Errorf("%v", err)
	}
	if err := firstCause([]error{nil, context.Canceled}); err == nil {
		t.Error("an interrupted run is no error")
	}
	if err := firstCause([]error{nil, nil}); err != nil {
		t.Errorf("%v", err)
	}
}
