package patch

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vedette.dev/cmd/vedette/internal/gomod"
)

// module is a Go module that is to use a copy of client-go.
type module struct {
	*gomod.Module
	record record
	// changes are the replace lines that are added.
	changes []string
}

// open reads the module that a folder belongs to.
func open(ctx context.Context, c *Config) (*module, error) {
	if c.Copy == "" {
		c.Copy = defaultCopy
	}
	if !filepath.IsLocal(c.Copy) || filepath.Clean(c.Copy) == "." {
		return nil, fmt.Errorf("--dir is %q; the copy has to be in a folder below that of go.mod", c.Copy)
	}
	m, err := gomod.Open(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	return &module{Module: m, record: record{Before: map[string]string{}}}, nil
}

// replace notes that a module is to be replaced.
func (m *module) replace(path, by string) {
	m.record.Replaces = append(m.record.Replaces, path)
	if before := m.Replaces[path]; before != "" {
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
	return m.Edit(ctx, args...)
}

// clientModules are the modules whose versions go with that of client-go.
var clientModules = []string{"k8s.io/api", "k8s.io/apimachinery"}

// selected returns the versions of the clientModules that are in use and not replaced.
func (m *module) selected(ctx context.Context) (map[string]string, error) {
	// Named modules would be looked up in go.mod alone, without what the modules in it require.
	lines, err := m.Run(ctx, "list", "-m", "-f", "{{if not .Replace}}{{.Path}} {{.Version}}{{end}}", "all")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(lines)) {
		if path, version, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(clientModules, path) {
			out[path] = version
		}
	}
	return out, nil
}

// keepVersions notes that modules are to have the versions that they had before.
func (m *module) keepVersions(ctx context.Context, before map[string]string) error {
	now, err := m.selected(ctx)
	if err != nil {
		return err
	}
	for _, path := range clientModules {
		if version := before[path]; version != "" && version != now[path] {
			m.replace(path, path+"@"+version)
		}
	}
	return nil
}

// resolve completes go.mod and go.sum for the packages of the module and their tests. go mod tidy would do so for the tests of Vedette, too,
// which want kinds that older versions of k8s.io/api do not have.
func (m *module) resolve(ctx context.Context) error {
	_, err := m.Run(ctx, "list", "-deps", "-test", "./...")
	return err
}

func (m *module) tidy(ctx context.Context) error {
	_, err := m.Run(ctx, "mod", "tidy")
	return err
}
