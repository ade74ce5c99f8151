// Package gomod reads and changes the go.mod of a user's module, with the go command.
package gomod

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

// Vedette is the path of Vedette's module.
const Vedette = "vedette.dev"

// Module is a Go module whose go.mod may be changed.
type Module struct {
	// Path is the path of the module, Dir the folder of go.mod.
	Path, Dir string
	// Mod and Sum are go.mod and go.sum as they were when the module was opened.
	Mod, Sum []byte
	// Required has the versions of required modules, Replaces the right sides of replace lines, as they were.
	Required, Replaces map[string]string
}

// Listed is what the go command prints about a module.
type Listed struct {
	Path, Version, Dir string
	Replace            *Listed
}

// Open reads the module that a folder belongs to.
func Open(ctx context.Context, dir string) (*Module, error) {
	if dir == "" {
		dir = "."
	}
	m := &Module{Dir: dir, Required: map[string]string{}, Replaces: map[string]string{}}
	out, err := m.Run(ctx, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return nil, fmt.Errorf("there is no go.mod in %s or above; run the command in a folder of the module", dir)
	}
	m.Dir = filepath.Dir(file)
	if m.Mod, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if m.Sum, err = os.ReadFile(filepath.Join(m.Dir, "go.sum")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var parsed struct {
		Module  struct{ Path string }
		Require []Listed
		Replace []struct{ Old, New Listed }
	}
	if err := m.JSON(ctx, &parsed, "mod", "edit", "-json"); err != nil {
		return nil, err
	}
	m.Path = parsed.Module.Path
	for _, r := range parsed.Require {
		m.Required[r.Path] = r.Version
	}
	for _, r := range parsed.Replace {
		by := r.New.Path
		if r.New.Version != "" {
			by += "@" + r.New.Version
		}
		m.Replaces[r.Old.Path] = by
	}
	return m, nil
}

// Restore writes go.mod and go.sum as they were.
func (m *Module) Restore() error {
	sum := filepath.Join(m.Dir, "go.sum")
	err := os.WriteFile(filepath.Join(m.Dir, "go.mod"), m.Mod, 0o644)
	if len(m.Sum) == 0 {
		if removed := os.Remove(sum); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return err
	}
	return errors.Join(err, os.WriteFile(sum, m.Sum, 0o644))
}

// List returns what the go command knows about a module that this one uses.
func (m *Module) List(ctx context.Context, path string) (*Listed, error) {
	var out Listed
	if err := m.JSON(ctx, &out, "list", "-m", "-json", path); err != nil {
		return nil, err
	}
	return &out, nil
}

// Edit runs go mod edit.
func (m *Module) Edit(ctx context.Context, args ...string) error {
	_, err := m.Run(ctx, append([]string{"mod", "edit"}, args...)...)
	return err
}

// JSON runs the go command, and decodes what it prints.
func (m *Module) JSON(ctx context.Context, into any, args ...string) error {
	out, err := m.Run(ctx, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// Run runs the go command in the folder of the module, and returns what it prints.
func (m *Module) Run(ctx context.Context, args ...string) ([]byte, error) {
	return Run(ctx, m.Dir, args...)
}

// Run runs the go command in a folder, without a workspace or a vendor folder, in which there would be no other versions.
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// Origin is where a module has vedette.dev from.
type Origin struct {
	// Version is what go.mod requires, Folder what it is replaced by, if not empty.
	Version, Folder string
}

// Unpublished is the version of a module that a folder replaces.
const Unpublished = "v0.0.0"

// Vedette returns where the module is to have vedette.dev from. from is a version or a folder; empty means what go.mod says.
func (m *Module) Vedette(from string) (Origin, error) {
	switch {
	case from == "":
		if m.Required[Vedette] != "" {
			return Origin{Version: m.Required[Vedette]}, nil
		}
		if m.Replaces[Vedette] != "" {
			return Origin{Version: Unpublished}, nil
		}
		return Origin{}, errors.New("the module does not require vedette.dev: say with --vedette which version to use, or which folder has the source")
	case !IsFolder(from) && strings.HasPrefix(from, "v"):
		return Origin{Version: from}, nil
	}
	folder, err := filepath.Abs(from)
	if err != nil {
		return Origin{}, err
	}
	data, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil || !slices.Contains(strings.Split(string(data), "\n"), "module "+Vedette) {
		return Origin{}, fmt.Errorf("--vedette is %q, which is neither a version nor a folder with the source of vedette.dev", from)
	}
	return Origin{Version: Unpublished, Folder: folder}, nil
}

// IsFolder reports whether the right side of a replace line is a folder.
func IsFolder(path string) bool {
	return filepath.IsAbs(path) || path == "." || path == ".." || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../")
}
