package migrate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestErrorsDoNotHideOthers has errors that cannot be fixed: conversions and errors in tests, of the same package and of others, are found
// nevertheless.
func TestErrorsDoNotHideOthers(t *testing.T) {
	dir, want := world(t)
	write(t, filepath.Join(program(dir), "broken/broken.go"), "package broken\n\nvar A, B int = 1, \"2\"\n")
	write(t, filepath.Join(program(dir), "broken/broken_test.go"), `package broken

import (
	"example.com/library"
	"k8s.io/client-go/rest"
)

var (
	config *rest.Config = library.Config()
	first  int          = "1"
	second int          = "2"
)
`)
	write(t, filepath.Join(program(dir), "broken/outside_test.go"), "package broken_test\n\nimport _ \"example.com/program/broken\"\n")
	write(t, filepath.Join(program(dir), "user/user.go"), "package user\n\nimport _ \"example.com/program/broken\"\n")
	write(t, filepath.Join(program(dir), "method/method.go"), `package method

type number int

func (number) Has(string) {}

var _ interface{ Has(int) } = number(0)
`)
	commit(t, dir)
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main.go", "lead/lead_test.go"} {
		if got := read(t, filepath.Join(program(dir), name)); got != want[name] {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want[name])
		}
	}
	if text := read(t, filepath.Join(program(dir), "broken/broken_test.go")); !strings.Contains(text, "= bridge.MustFromClientGo(library.Config())") {
		t.Errorf("a test of the broken package is\n%s", text)
	}
	if report.Builds || len(report.Conversions) != 4 {
		t.Errorf("the report is %+v", report)
	}
	if want := []string{"example.com/program/broken_test", "example.com/program/user"}; !slices.Equal(slices.Sorted(slices.Values(report.NotCompiled)), want) {
		t.Errorf("%v are not compiled, want %v", report.NotCompiled, want)
	}
	var found []string
	for _, item := range report.ByHand {
		if strings.HasPrefix(item.File, "broken") {
			found = append(found, item.String())
		}
		if strings.HasPrefix(item.File, "method") && (!strings.Contains(item.Text, "have Has(string)") || !strings.Contains(item.Text, "want Has(int)")) {
			t.Errorf("%s: %s", item, item.Text)
		}
	}
	if want := []string{"broken/broken.go:3", "broken/broken_test.go:12", "broken/broken_test.go:13"}; !slices.Equal(found, want) {
		t.Errorf("errors in %v, want %v", found, want)
	}
}

// TestNamedPackages migrates some packages: go build ./... reports others that do not fit any more, but not what did not build before.
func TestNamedPackages(t *testing.T) {
	dir, _ := world(t)
	write(t, filepath.Join(program(dir), "lead/use.go"), "package lead\n\nimport \"k8s.io/client-go/rest\"\n\nfunc Use(*rest.Config) {}\n")
	write(t, filepath.Join(program(dir), "other/other.go"), `package other

import (
	"example.com/program/lead"
	"k8s.io/client-go/rest"
)

func use(c *rest.Config) { lead.Use(c) }
`)
	write(t, filepath.Join(program(dir), "old/old.go"), "package old\n\nvar broken int = \"\"\n")
	commit(t, dir)
	c := config(dir)
	c.Packages = []string{"./lead/..."}
	report, err := Apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var other []Item
	for _, item := range report.ByHand {
		if !strings.HasPrefix(item.File, "lead") {
			other = append(other, item)
		}
	}
	if report.Builds || len(other) != 1 || other[0].String() != "other/other.go:8" || !strings.Contains(other[0].Text, "was not named") {
		t.Errorf("the report is %+v", report)
	}
	if text := read(t, filepath.Join(program(dir), "other/other.go")); strings.Contains(text, "vedette.dev") {
		t.Errorf("a package that was not named is\n%s", text)
	}
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err != nil {
		t.Fatal(err)
	}

	c.Packages = []string{"."}
	if report, err = Apply(t.Context(), c); err != nil || !report.Builds {
		t.Errorf("%+v, %v", report, err)
	}
	if left := status(t, dir); strings.Contains(left, "??") {
		t.Errorf("files were made:\n%s", left)
	}
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err != nil {
		t.Fatal(err)
	}

	for _, pattern := range []string{"fmt", "k8s.io/client-go/rest", "example.com/program/nothing"} {
		c.Packages = []string{pattern}
		if _, err := Apply(t.Context(), c); err == nil || !strings.Contains(err.Error(), pattern+" is not a package of the module") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
