package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vedette.dev/cmd/vedette/internal/gomod"
)

// Config says what is patched. The zero value is the module of the current folder.
type Config struct {
	// Dir is a folder of the module that is to use the copy.
	Dir string
	// Copy is where the copy goes, in the folder of go.mod. Empty means client-go-on-vedette.
	Copy string
	// Vedette is the version of vedette.dev that the copy uses, or a folder with its source. It may be empty if the module has it already.
	Vedette string
	// Progress is called before each step that takes a while. It may be nil.
	Progress func(step string)
}

// Report is what was done.
type Report struct {
	// Module is the folder of go.mod, Copy that of the copy.
	Module, Copy string
	// Version is that of client-go.
	Version string
	// Replaced are the replace lines that were added to go.mod.
	Replaced []string
	// Vendored says that there is a vendor folder, which is not up to date.
	Vendored bool
}

const (
	clientGo    = "k8s.io/client-go"
	defaultCopy = "client-go-on-vedette"
	// recordName is the file in the copy that says what to undo.
	recordName = "vedette-patch.json"
)

// record is what Undo needs to know.
type record struct {
	// Replaces are the modules with a replace line that was added, and Before what they were replaced by before, if they were.
	Replaces []string          `json:"replaces"`
	Before   map[string]string `json:"before,omitempty"`
	// GoMod and GoSum are the files as they were, and Patched is go.mod with the lines that were added: if it is still the same, the files
	// are written back.
	GoMod   string `json:"goMod"`
	GoSum   string `json:"goSum"`
	Patched string `json:"patched"`
}

// ErrPatched is returned for a module that uses a copy already.
var ErrPatched = errors.New("the module uses a patched client-go already; undo that first")

// Apply writes the copy, and makes the module use it. If it returns an error, nothing has changed.
func Apply(ctx context.Context, c Config) (_ *Report, err error) {
	m, err := open(ctx, &c)
	if err != nil {
		return nil, err
	}
	created := ""
	defer func() {
		if err != nil { // the go command may have changed go.mod even where it was only asked
			err = errors.Join(err, m.Restore(), os.RemoveAll(created))
		}
	}()
	version, from, err := m.clientGo(ctx)
	if err != nil {
		return nil, err
	}
	at, err := m.Vedette(c.Vedette)
	if err != nil {
		return nil, err
	}
	out := &Report{Module: m.Dir, Copy: filepath.Join(m.Dir, c.Copy), Version: version, Vendored: exists(filepath.Join(m.Dir, "vendor"))}
	if exists(out.Copy) {
		return nil, fmt.Errorf("%s exists; remove it, or choose another folder with --dir", out.Copy)
	}
	before, err := m.selected(ctx)
	if err != nil {
		return nil, err
	}
	c.progress("copying client-go " + version)
	created = out.Copy
	if err := copyClientGo(from, out.Copy); err != nil {
		return nil, err
	}
	for _, dir := range []string{out.Copy, m.Dir} {
		if _, err := gomod.Run(ctx, dir, "mod", "edit", "-require="+gomod.Vedette+"@"+at.Version); err != nil {
			return nil, err
		}
	}
	m.replace(clientGo, "./"+filepath.ToSlash(c.Copy))
	if at.Folder != "" {
		m.replace(gomod.Vedette, at.Folder)
	}
	if err := m.save(ctx); err != nil {
		return nil, err
	}
	// Vedette may have brought newer versions than the program was made with, and client-go is still the old one.
	if err := errors.Join(m.keepVersions(ctx, before), m.save(ctx)); err != nil {
		return nil, err
	}
	c.progress("resolving what Vedette depends on")
	if err := m.resolve(ctx); err != nil {
		return nil, err
	}
	patched, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	m.record.GoMod, m.record.GoSum, m.record.Patched = string(m.Mod), string(m.Sum), string(patched)
	data, err := json.MarshalIndent(m.record, "", "\t")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(out.Copy, recordName), append(data, '\n'), 0o644); err != nil {
		return nil, err
	}
	out.Replaced = m.added()
	return out, nil
}

// Undo makes the module use client-go as it was published, and removes the copy.
func Undo(ctx context.Context, c Config) (_ *Report, err error) {
	m, err := open(ctx, &c)
	if err != nil {
		return nil, err
	}
	copied := filepath.Join(m.Dir, c.Copy)
	data, err := os.ReadFile(filepath.Join(copied, recordName))
	if err != nil {
		return nil, fmt.Errorf("%s is not a copy that patch-client-go has written; name it with --dir: %w", copied, err)
	}
	if err := json.Unmarshal(data, &m.record); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", recordName, copied, err)
	}
	out := &Report{Module: m.Dir, Copy: copied, Vendored: exists(filepath.Join(m.Dir, "vendor"))}
	if m.record.Patched == string(m.Mod) {
		m.Mod, m.Sum = []byte(m.record.GoMod), []byte(m.record.GoSum)
		return out, errors.Join(m.Restore(), os.RemoveAll(copied))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Restore())
		}
	}()
	args := []string{}
	for _, module := range m.record.Replaces {
		if before := m.record.Before[module]; before != "" {
			args = append(args, "-replace="+module+"="+before)
		} else {
			args = append(args, "-dropreplace="+module)
		}
	}
	if err := m.Edit(ctx, args...); err != nil {
		return nil, err
	}
	c.progress("go mod tidy")
	if err := m.tidy(ctx); err != nil {
		return nil, err
	}
	return out, os.RemoveAll(copied)
}

func (c *Config) progress(step string) {
	if c.Progress != nil {
		c.Progress(step)
	}
}

// clientGo returns the version of client-go that the module uses, and the folder that has it.
func (m *module) clientGo(ctx context.Context) (version, dir string, err error) {
	if by, ok := m.Replaces[clientGo]; ok && gomod.IsFolder(by) {
		if exists(filepath.Join(m.Dir, by, recordName)) {
			return "", "", ErrPatched
		}
		return "", "", fmt.Errorf("%s is replaced by the folder %s; only a version that was published can be patched", clientGo, by)
	}
	if version := m.Required[clientGo]; version != "" && m.Replaces[clientGo] == "" && !isKnown(version) {
		return "", "", unknown(version)
	}
	used, err := m.List(ctx, clientGo)
	if err != nil {
		return "", "", fmt.Errorf("the module in %s does not use %s: %w", m.Dir, clientGo, err)
	}
	if used.Replace != nil {
		used = used.Replace
	}
	if used.Path != clientGo {
		return "", "", fmt.Errorf("%s is replaced by %s; only a version that was published can be patched", clientGo, used.Path)
	}
	if !isKnown(used.Version) {
		return "", "", unknown(used.Version)
	}
	var loaded gomod.Listed
	if err := m.JSON(ctx, &loaded, "mod", "download", "-json", clientGo+"@"+used.Version); err != nil {
		return "", "", err
	}
	return used.Version, loaded.Dir, nil
}

func unknown(version string) error {
	return fmt.Errorf("client-go %s is not known; known are %s", version, strings.Join(known, "x, ")+"x")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
