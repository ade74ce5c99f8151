package migrate

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestModuleOfATestIsMissing has a library with a test that imports a module that cannot be downloaded: go mod tidy fails, before the migration
// too, and the program does not need it.
func TestModuleOfATestIsMissing(t *testing.T) {
	dir, want := world(t)
	write(t, filepath.Join(dir, "library/library_test.go"), "package library\n\nimport _ \"example.com/missing\"\n")
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Builds || len(report.Conversions) != 3 || !strings.Contains(report.Untidy, "example.com/missing") {
		t.Errorf("the report is %+v", report)
	}
	for name, text := range want {
		if got := read(t, filepath.Join(program(dir), name)); got != text {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
		}
	}
	if mod := read(t, filepath.Join(program(dir), "go.mod")); !strings.Contains(mod, "vedette.dev/bridge v0.0.0") {
		t.Errorf("go.mod is\n%s", mod)
	}
}

// TestModuleIsMissing has a program that needs a module that cannot be downloaded.
func TestModuleIsMissing(t *testing.T) {
	dir, _ := world(t)
	write(t, filepath.Join(program(dir), "missing.go"), "package main\n\nimport _ \"example.com/missing\"\n")
	commit(t, dir)
	if _, err := Apply(t.Context(), config(dir)); err == nil || !strings.Contains(err.Error(), "go mod tidy") || !strings.Contains(err.Error(), "example.com/missing") {
		t.Errorf("the error is %v", err)
	}
	if left := status(t, dir); left != "" {
		t.Errorf("a migration that failed left %s", left)
	}
}
