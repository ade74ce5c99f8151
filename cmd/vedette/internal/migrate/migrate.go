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

// Place is a line of a file of the module. Line is 0 if it is about the whole file or folder.
type Place struct {
	File string
	Line int
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

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
	// Simple are the calls of fake.NewClientset in tests that became NewSimpleClientset.
	Simple []Place
	// Methods are types of the program to which a method of cache.Store was added.
	Methods []Place
	// Forwarded are functions and files in which bridge.ForwardMetrics is called.
	Forwarded []Place
	// Stays are the packages that stay with client-go, with the number of their imports.
	Stays map[string]int
	// ByHand is what has to be done by hand. Errors of the compiler are among it.
	ByHand []Item
	// Raised is the version to which modules that are released together with client-go were raised, if any were.
	Raised string
	// Untidy is the error of go mod tidy, if it failed and go.mod could be completed without it.
	Untidy string
	// NotCompiled are packages that were not compiled, because they import one that does not compile.
	NotCompiled []string
	// Untracked are Go files that were changed and that git does not have, such as generated code that it ignores.
	Untracked []string
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
	backup  *backup
	report  *Report
	bridged bool
	// rewritten are the Go files that are migrated.
	rewritten []string
	applied   map[string]bool // whether the packages of folders use server-side apply
	// elections is what is known about the packages of folders.
	elections map[string]*election
	// errorsBefore are errors of go build ./... before the migration, if only some packages are migrated. brokenBefore says that it failed with
	// another error than these.
	errorsBefore []diagnostic
	brokenBefore bool
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
	m := &migration{
		config: c, mod: mod, git: repository{mod.Dir}, backup: &backup{mod.Dir, map[string][]byte{}},
		report: &Report{Module: mod.Dir, Stays: map[string]int{}}, applied: map[string]bool{}, elections: map[string]*election{},
	}
	if m.origin, err = mod.Vedette(c.Vedette); err != nil {
		return nil, err
	}
	commit, err := m.git.clean(ctx)
	if err != nil {
		return nil, err
	}
	m.report.Vendored = exists(filepath.Join(mod.Dir, "vendor"))
	if err := m.backup.keep("go.mod", "go.sum"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil || try {
			err = errors.Join(err, m.backup.restore())
		}
	}()
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	files, err := m.backup.changed()
	if err != nil {
		return nil, err
	}
	tracked, err := m.git.tracked(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		m.report.Files++
		if !tracked[name] {
			m.report.Untracked = append(m.report.Untracked, name)
		}
	}
	if try {
		m.report.Diff, err = m.backup.diff(ctx, files)
		return m.report, err
	}
	return m.report, m.git.save(ctx, m.backup.record(commit, files))
}

func (m *migration) run(ctx context.Context) (err error) {
	if len(m.config.Packages) > 0 {
		m.errorsBefore, err = m.build(ctx)
		if m.brokenBefore = err != nil; ctx.Err() != nil {
			return err
		}
	}
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
	m.rewritten = files
	m.progress(fmt.Sprintf("rewriting imports in %d files", len(files)))
	for _, name := range files {
		s, err := readSource(name)
		if err != nil {
			return fmt.Errorf("a file cannot be parsed: %w", err)
		}
		m.rewrite(s)
		if err := m.write(s); err != nil {
			return err
		}
	}
	if err := m.complete(ctx); err != nil {
		return err
	}
	left, err := m.convert(ctx)
	if err != nil {
		return err
	}
	if err := m.buildAll(ctx, &left); err != nil {
		return err
	}
	for _, d := range left.errors {
		m.byHand(Place{d.file, d.line}, m.explain(d))
	}
	m.report.NotCompiled = left.skipped
	m.report.Builds = len(left.errors) == 0
	slices.SortStableFunc(m.report.ByHand, func(a, b Item) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return nil
}

// require makes go.mod require a module at the version of Vedette.
func (m *migration) require(ctx context.Context, path, folder string) error {
	args := []string{"-require=" + path + "@" + m.origin.Version}
	if folder != "" {
		args = append(args, "-replace="+path+"="+folder)
	}
	return m.mod.Edit(ctx, args...)
}

// staging are the modules that are released together with client-go, with the same version, apart from samples.
var staging = []string{
	"api", "apiextensions-apiserver", "apimachinery", "apiserver", "cli-runtime", "client-go", "cloud-provider", "cluster-bootstrap", "code-generator",
	"component-base", "component-helpers", "controller-manager", "cri-api", "cri-client", "cri-streaming", "csi-translation-lib",
	"dynamic-resource-allocation", "endpointslice", "externaljwt", "kms", "kube-aggregator", "kube-controller-manager", "kube-proxy", "kube-scheduler",
	"kubectl", "kubelet", "metrics", "mount-utils", "pod-security-admission", "streaming",
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
	args := raised(m.mod, version)
	if len(args) == 0 {
		return nil
	}
	m.report.Raised = version
	return m.mod.Edit(ctx, args...)
}

// raised returns the arguments of go mod edit that raise modules to a version. A module that is replaced by another version of its own is raised
// there; one that is replaced by something else is left.
func raised(mod *gomod.Module, version string) (args []string) {
	for _, name := range staging {
		path := "k8s.io/" + name
		replaced, own := strings.CutPrefix(mod.Replaces[path], path+"@")
		if own && older(replaced, version) {
			args = append(args, "-replace="+path+"="+path+"@"+version)
		}
		if has := mod.Required[path]; has != "" && older(has, version) && (own || mod.Replaces[path] == "") {
			args = append(args, "-require="+path+"@"+version)
		}
	}
	return args
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

// complete completes go.mod for the imports that were rewritten.
func (m *migration) complete(ctx context.Context) error {
	if len(m.report.Forwarded) > 0 {
		return m.requireBridge(ctx)
	}
	m.progress("go mod tidy")
	return m.tidy(ctx)
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

// tidy completes go.mod and go.sum. go mod tidy needs the modules of the tests of all dependencies, too, of which some may be withdrawn or
// refused by a proxy; the program compiles without them.
func (m *migration) tidy(ctx context.Context) error {
	m.report.Untidy = ""
	_, err := m.mod.Run(ctx, "mod", "tidy")
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, listErr := m.mod.Run(ctx, "list", "-deps", "-test", "./..."); listErr != nil {
		return err // it says more
	}
	m.report.Untidy = err.Error()
	return nil
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
		out, err := m.mod.Run(ctx, append([]string{"list", "-e", "-f", "{{.ImportPath}} {{.Dir}}"}, m.config.Packages...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
			found, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil {
				return nil, err
			}
			if dir == "" || !filepath.IsLocal(m.relative(dir)) || len(found) == 0 {
				return nil, fmt.Errorf("%s is not a package of the module in %s", path, m.mod.Dir)
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
	b := &backup{mod.Dir, map[string][]byte{}}
	for _, file := range slices.Sorted(maps.Keys(rec.Files)) {
		if b.hash(file) != rec.Files[file].After {
			return nil, fmt.Errorf("%s was changed after the migration; undo it with git: git restore --source=%s -- FILES", file, rec.Commit)
		}
		b.before[file] = rec.Files[file].Before
	}
	if err := b.restore(); err != nil {
		return nil, err
	}
	return &Report{Module: mod.Dir, Files: len(rec.Files)}, os.Remove(name)
}

// write writes a file with its edits, and keeps what it was before.
func (m *migration) write(s *source) error {
	if len(s.edits) == 0 {
		return nil
	}
	if err := m.backup.keep(m.relative(s.name)); err != nil {
		return err
	}
	return s.write()
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
