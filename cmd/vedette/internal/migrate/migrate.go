package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vedette.dev/cmd/vedette/internal/gomod"
)

// Config says what is migrated. The zero value is the module of the current folder.
type Config struct {
	// Dir is a folder of the module.
	Dir string
	// Packages are patterns of packages of the module. None means all.
	Packages []string
	// Vedette is the version of vedette.dev, or a folder with its source. It may be empty if the module has it already.
	Vedette string
	// Progress is called before each step that takes a while. It may be nil.
	Progress func(step string)
}

// Place is a line of a file of the module.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Item is something that has to be done by hand.
type Item struct {
	Place
	Text string
}

// Report is what was done, and what is left.
type Report struct {
	// Module is the folder of go.mod.
	Module string
	// Files is the number of files that were changed, Imports that of imports.
	Files, Imports int
	// Removed are imports of auth plugins, Conversions the places where a rest.Config is converted.
	Removed, Conversions []Place
	// Stays are the packages that stay with client-go, with the number of their imports.
	Stays map[string]int
	// ByHand is what has to be done by hand. Errors of the compiler are among it.
	ByHand []Item
	// Raised is the version to which modules that are released together with client-go were raised, if any were.
	Raised string
	// Builds says that the program and its tests compile.
	Builds bool
	// Vendored says that there is a vendor folder, which is not up to date.
	Vendored bool
	// Diff is what was changed, after a dry run.
	Diff string
}

// migration is one run.
type migration struct {
	config  Config
	mod     *gomod.Module
	origin  gomod.Origin
	vedette string // folder with the source
	git     repository
	report  *Report
	bridged bool
}

// Apply migrates the module. If it returns an error, nothing has changed.
func Apply(ctx context.Context, c Config) (*Report, error) { return migrate(ctx, c, false) }

// Try migrates the module, and restores it. The report has the difference.
func Try(ctx context.Context, c Config) (*Report, error) { return migrate(ctx, c, true) }

func migrate(ctx context.Context, c Config, try bool) (_ *Report, err error) {
	mod, err := gomod.Open(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	m := &migration{config: c, mod: mod, git: repository{mod.Dir}, report: &Report{Module: mod.Dir, Stays: map[string]int{}}}
	if m.origin, err = mod.Vedette(c.Vedette); err != nil {
		return nil, err
	}
	commit, err := m.git.clean(ctx)
	if err != nil {
		return nil, err
	}
	m.report.Vendored = exists(filepath.Join(mod.Dir, "vendor"))
	defer func() {
		if err == nil && !try {
			return
		}
		// Also when the context has ended.
		after := context.WithoutCancel(ctx)
		files, changedErr := m.git.changed(after)
		err = errors.Join(err, changedErr, m.git.restore(after, commit, files))
	}()
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	files, err := m.git.changed(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".go") {
			m.report.Files++
		}
	}
	if try {
		if m.report.Diff, err = m.git.run(ctx, "diff", "--no-color", "--no-ext-diff", "--relative", "--", "."); err != nil {
			return nil, err
		}
		return m.report, nil
	}
	return m.report, m.git.save(ctx, commit, files)
}

func (m *migration) run(ctx context.Context) error {
	m.progress("reading go.mod")
	if err := m.require(ctx, gomod.Vedette, m.origin.Folder); err != nil {
		return err
	}
	used, err := m.mod.List(ctx, gomod.Vedette)
	if err != nil {
		return err
	}
	m.vedette = used.Dir
	if used.Replace != nil && used.Replace.Dir != "" {
		m.vedette = used.Replace.Dir
	}
	if m.vedette == "" { // not in the module cache yet
		var loaded gomod.Listed
		if err := m.mod.JSON(ctx, &loaded, "mod", "download", "-json", gomod.Vedette); err != nil {
			return err
		}
		m.vedette = loaded.Dir
	}
	if err := m.raise(ctx); err != nil {
		return err
	}
	files, err := m.files(ctx)
	if err != nil {
		return err
	}
	m.progress(fmt.Sprintf("rewriting imports in %d files", len(files)))
	for _, name := range files {
		s, err := readSource(name)
		if err != nil {
			return fmt.Errorf("a file cannot be parsed: %w", err)
		}
		m.rewrite(s)
		if err := s.write(); err != nil {
			return err
		}
	}
	m.progress("go mod tidy")
	if err := m.tidy(ctx); err != nil {
		return err
	}
	left, err := m.convert(ctx)
	if err != nil {
		return err
	}
	for _, d := range left {
		m.byHand(Place{d.file, d.line}, explain(d.text))
	}
	m.report.Builds = len(left) == 0
	slices.SortStableFunc(m.report.ByHand, func(a, b Item) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return nil
}

// explain adds what to do to an error of the compiler that is about a type of both libraries.
func explain(text string) string {
	if strings.Contains(text, `"k8s.io/client-go/`) && strings.Contains(text, `"vedette.dev/`) {
		return text + "\n    a library is made for client-go's type: give it a client of client-go, made with bridge.ToClientGo(config), or leave this file with client-go"
	}
	return text
}

// require makes go.mod require a module at the version of Vedette.
func (m *migration) require(ctx context.Context, path, folder string) error {
	args := []string{"-require=" + path + "@" + m.origin.Version}
	if folder != "" {
		args = append(args, "-replace="+path+"="+folder)
	}
	return m.mod.Edit(ctx, args...)
}

// staging are the modules that are released together with client-go, with the same version.
var staging = []string{
	"api", "apiextensions-apiserver", "apimachinery", "apiserver", "cli-runtime", "client-go", "cloud-provider", "code-generator", "component-base",
	"component-helpers", "controller-manager", "kube-aggregator", "kubectl", "kubelet", "metrics", "mount-utils", "pod-security-admission",
}

// raise raises the modules that are released together with client-go to the version that Vedette uses: those that stay would not compile
// with newer types.
func (m *migration) raise(ctx context.Context) error {
	data, err := os.ReadFile(filepath.Join(m.vedette, "go.mod"))
	if err != nil {
		return err
	}
	version := requiredIn(string(data), "k8s.io/api")
	if version == "" {
		return nil
	}
	var args []string
	for _, name := range staging {
		path := "k8s.io/" + name
		if has := m.mod.Required[path]; has != "" && older(has, version) && m.mod.Replaces[path] == "" {
			args = append(args, "-require="+path+"@"+version)
		}
	}
	if len(args) == 0 {
		return nil
	}
	m.report.Raised = version
	return m.mod.Edit(ctx, args...)
}

// requiredIn returns the version of a module that the text of a go.mod requires.
func requiredIn(text, path string) string {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(fields) >= 2 && fields[0] == path {
			return fields[1]
		}
	}
	return ""
}

// older reports whether a version is before another. Both are as v0.36.3; others are never older.
func older(a, b string) bool {
	var x, y [3]int
	if n, _ := fmt.Sscanf(a, "v%d.%d.%d", &x[0], &x[1], &x[2]); n != 3 {
		return false
	}
	if n, _ := fmt.Sscanf(b, "v%d.%d.%d", &y[0], &y[1], &y[2]); n != 3 {
		return false
	}
	return slices.Compare(x[:], y[:]) < 0
}

// requireBridge makes go.mod require the module of package bridge.
func (m *migration) requireBridge(ctx context.Context) error {
	if m.bridged {
		return nil
	}
	m.bridged = true
	folder := ""
	if m.origin.Folder != "" || m.origin.Version == gomod.Unpublished {
		folder = filepath.Join(m.vedette, "bridge")
	}
	if err := m.require(ctx, bridgePath, folder); err != nil {
		return err
	}
	m.progress("go mod tidy")
	return m.tidy(ctx)
}

// tidy completes go.mod and go.sum.
func (m *migration) tidy(ctx context.Context) error {
	_, err := m.mod.Run(ctx, "mod", "tidy")
	return err
}

// patterns returns the packages that are compiled.
func (m *migration) patterns() []string {
	if len(m.config.Packages) > 0 {
		return m.config.Packages
	}
	return []string{"./..."}
}

// files returns the Go files that are rewritten: all of the module, whatever their build constraints, or those of some packages.
func (m *migration) files(ctx context.Context) (files []string, err error) {
	if len(m.config.Packages) > 0 {
		out, err := m.mod.Run(ctx, append([]string{"list", "-e", "-f", "{{.Dir}}"}, m.config.Packages...)...)
		if err != nil {
			return nil, err
		}
		for dir := range strings.Lines(string(out)) {
			found, err := filepath.Glob(filepath.Join(strings.TrimSpace(dir), "*.go"))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
		return files, nil
	}
	err = filepath.WalkDir(m.mod.Dir, func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case !entry.IsDir():
			if strings.HasSuffix(base, ".go") {
				files = append(files, name)
			}
		case name == m.mod.Dir:
		case base == "vendor" || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || exists(filepath.Join(name, "go.mod")):
			return fs.SkipDir
		}
		return nil
	})
	return files, err
}

// Undo restores the files that Apply has changed. It refuses if one of them was changed since.
func Undo(ctx context.Context, c Config) (*Report, error) {
	mod, err := gomod.Open(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	r := repository{mod.Dir}
	name, err := r.recordName(ctx)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("there is no migration of %s to undo: %w", mod.Dir, err)
	}
	var rec record
	if err := json.Unmarshal(data, &rec); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	files := slices.Sorted(maps.Keys(rec.Files))
	for _, file := range files {
		if r.hash(file) != rec.Files[file] {
			return nil, fmt.Errorf("%s was changed after the migration; undo it with git: git restore --source=%s -- FILES", file, rec.Commit)
		}
	}
	if err := r.restore(ctx, rec.Commit, files); err != nil {
		return nil, err
	}
	return &Report{Module: mod.Dir, Files: len(files)}, os.Remove(name)
}

func (m *migration) relative(name string) string {
	if rel, err := filepath.Rel(m.mod.Dir, name); err == nil {
		return rel
	}
	return name
}

func (m *migration) progress(step string) {
	if m.config.Progress != nil {
		m.config.Progress(step)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
