// Package archtest compares ARCHITECTURE.md with the source.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "vedette.dev/"
)

// TestThePackagesAreThoseOfTheTable checks that each package of the module is in one row of the table of packages, that each name
// of the table is that of a package, and that a package imports only packages of rows above its own, or of its own row.
func TestThePackagesAreThoseOfTheTable(t *testing.T) {
	table := readTable(t)
	packages := readPackages(t)
	used := map[string]bool{}
	for name := range packages {
		row := table.find(name)
		if row.name == "" {
			t.Errorf("package %s is in no row of ARCHITECTURE.md", name)
		}
		used[row.name] = true
	}
	for _, row := range table {
		if !used[row.name] {
			t.Errorf("ARCHITECTURE.md has %s, which is not a package", row.name)
		}
	}
	for name, imports := range packages {
		own := table.find(name)
		for _, imported := range imports {
			if at := table.find(imported); at.number > own.number {
				t.Errorf("%s (row %d) imports %s (row %d)", name, own.number, imported, at.number)
			}
		}
	}
}

// TestTheMachineryIsFreeOfKubernetes checks that the store and the log of notifications import the standard library and small packages
// without dependencies only.
func TestTheMachineryIsFreeOfKubernetes(t *testing.T) {
	for dir, allowed := range map[string][]string{
		"internal/table":  {module + "internal/shrink"},
		"internal/fanout": {module + "internal/shrink", "github.com/go-logr/logr"},
	} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, files, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range file.Imports {
				full, _ := strconv.Unquote(spec.Path.Value)
				if first, _, _ := strings.Cut(full, "/"); strings.Contains(first, ".") && !slices.Contains(allowed, full) {
					t.Errorf("%s imports %s", name, full)
				}
			}
		}
	}
}

// row is a name of the table.
type row struct {
	name   string
	number int
}

type rows []row

var codeSpan = regexp.MustCompile("`([^`]+)`")

func readTable(t *testing.T) (out rows) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## The packages\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no section The packages")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	number := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		number++
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), " |")
		for _, name := range codeSpan.FindAllStringSubmatch(cell, -1) {
			out = append(out, row{name[1], number})
		}
	}
	return out
}

// find returns the row of a package: the one that has its name or, of those that stand for several, the one with the longest. In these,
// … stands for any part of the path.
func (r rows) find(name string) (found row) {
	for _, row := range r {
		prefix, suffix, general := strings.Cut(row.name, "…")
		if row.name == name {
			return row
		}
		if general && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) && len(row.name) > len(found.name) {
			found = row
		}
	}
	return found
}

// readPackages returns the packages of the module, without tests, and what they import of it.
func readPackages(t *testing.T) map[string][]string {
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(file, entry.Name())
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		name := path.Clean(filepath.ToSlash(dir))
		out[name] = append(out[name], "")
		for _, spec := range parsed.Imports {
			full, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if imported, ok := strings.CutPrefix(full, module); ok {
				out[name] = append(out[name], imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// skip leaves out folders that hold no package of the module.
func skip(dir, name string) error {
	if dir == root {
		return nil
	}
	if name == "testdata" || name == "bin" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}
