package patch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is a Go module whose go.mod is changed.
type module struct {
	dir string
	// sum and mod are go.sum and go.mod as they were.
	mod, sum []byte
	// required has versions, replaces the right sides of replace lines, as they were.
	required, replaces map[string]string
	record             record
	// changes are the replace lines that are added.
	changes []string
}

// listed is what the go command says of a module.
type listed struct {
	Path, Version, Dir string
	Replace            *listed
}

// open reads the module that a folder belongs to.
func open(ctx context.Context, c *Config) (*module, error) {
	if c.Dir == "" {
		c.Dir = "."
	}
	if c.Copy == "" {
		c.Copy = defaultCopy
	}
	if !filepath.IsLocal(c.Copy) || filepath.Clean(c.Copy) == "." {
		return nil, fmt.Errorf("--dir is %q; the copy has to be in a folder below that of go.mod", c.Copy)
	}
	m := &module{dir: c.Dir, required: map[string]string{}, replaces: map[string]string{}, record: record{Before: map[string]string{}}}
	out, err := m.run(ctx, c.Dir, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return nil, fmt.Errorf("there is no go.mod in %s or above; run the command in the module that is to be patched", c.Dir)
	}
	m.dir = filepath.Dir(file)
	if m.mod, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if m.sum, err = os.ReadFile(filepath.Join(m.dir, "go.sum")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var parsed struct {
		Require []listed
		Replace []struct{ Old, New listed }
	}
	if err := m.goJSON(ctx, &parsed, "mod", "edit", "-json"); err != nil {
		return nil, err
	}
	for _, r := range parsed.Require {
		m.required[r.Path] = r.Version
	}
	for _, r := range parsed.Replace {
		by := r.New.Path
		if r.New.Version != "" {
			by += "@" + r.New.Version
		}
		m.replaces[r.Old.Path] = by
	}
	return m, nil
}

// replace notes that a module is to be replaced.
func (m *module) replace(path, by string) {
	m.record.Replaces = append(m.record.Replaces, path)
	if before := m.replaces[path]; before != "" {
		m.record.Before[path] = before
	}
	m.changes = append(m.changes, path+"="+by)
}

// added returns the lines that were added to go.mod.
func (m *module) added() (out []string) {
	for _, change := range m.changes {
		path, by, _ := strings.Cut(change, "=")
		out = append(out, "replace "+path+" => "+strings.Replace(by, "@", " ", 1))
	}
	return out
}

// save writes the replace lines to go.mod.
func (m *module) save(ctx context.Context) error {
	args := []string{}
	for _, change := range m.changes {
		args = append(args, "-replace="+change)
	}
	return m.edit(ctx, m.dir, args...)
}

// restore writes go.mod and go.sum as they were.
func (m *module) restore() error {
	sum := filepath.Join(m.dir, "go.sum")
	err := os.WriteFile(filepath.Join(m.dir, "go.mod"), m.mod, 0o644)
	if len(m.sum) == 0 {
		if removed := os.Remove(sum); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return err
	}
	return errors.Join(err, os.WriteFile(sum, m.sum, 0o644))
}

// pinnable are the modules whose versions go with that of client-go.
var pinnable = []string{"k8s.io/api", "k8s.io/apimachinery"}

// selected returns the versions of pinnable modules that are in use and not replaced.
func (m *module) selected(ctx context.Context) (map[string]string, error) {
	// Named modules would be looked up in go.mod alone, without what the modules in it require.
	lines, err := m.run(ctx, m.dir, "list", "-m", "-f", "{{if not .Replace}}{{.Path}} {{.Version}}{{end}}", "all")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(lines)) {
		if path, version, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(pinnable, path) {
			out[path] = version
		}
	}
	return out, nil
}

// pin notes that modules are to have the versions that they had before.
func (m *module) pin(ctx context.Context, before map[string]string) error {
	now, err := m.selected(ctx)
	if err != nil {
		return err
	}
	for _, path := range pinnable {
		if version := before[path]; version != "" && version != now[path] {
			m.replace(path, path+"@"+version)
		}
	}
	return nil
}

func (m *module) list(ctx context.Context, path string) (*listed, error) {
	var out listed
	if err := m.goJSON(ctx, &out, "list", "-m", "-json", path); err != nil {
		return nil, err
	}
	return &out, nil
}

func (m *module) edit(ctx context.Context, dir string, args ...string) error {
	_, err := m.run(ctx, dir, append([]string{"mod", "edit"}, args...)...)
	return err
}

// resolve completes go.mod and go.sum for the packages of the module and their tests. go mod tidy would do so for the tests of Vedette, too,
// which want kinds that older versions of k8s.io/api do not have.
func (m *module) resolve(ctx context.Context) error {
	_, err := m.run(ctx, m.dir, "list", "-deps", "-test", "./...")
	return err
}

func (m *module) tidy(ctx context.Context) error {
	_, err := m.run(ctx, m.dir, "mod", "tidy")
	return err
}

func (m *module) goJSON(ctx context.Context, into any, args ...string) error {
	out, err := m.run(ctx, m.dir, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// run runs the go command in a folder, without a workspace or a vendor folder, in which there would be no other versions.
func (m *module) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
