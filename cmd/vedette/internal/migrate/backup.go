package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// backup has the files that are written, as they were before. git is not asked for them: it does not have those that it ignores, such as
// generated code, nor a go.sum that is not committed.
type backup struct {
	dir string
	// before has the text of each file by its name below dir, nil if there was none.
	before map[string][]byte
}

// keep remembers files that are about to be written. Of a file that is kept already, it keeps the older text.
func (b *backup) keep(names ...string) error {
	for _, name := range names {
		if _, ok := b.before[name]; ok {
			continue
		}
		text, err := b.read(name)
		if err != nil {
			return err
		}
		b.before[name] = text
	}
	return nil
}

// read returns the text of a file, nil if there is none.
func (b *backup) read(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// changed returns the names of the files that are not as they were.
func (b *backup) changed() (names []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(b.before)) {
		text, err := b.read(name)
		if err != nil {
			return nil, err
		}
		if was := b.before[name]; (text == nil) != (was == nil) || !bytes.Equal(text, was) {
			names = append(names, name)
		}
	}
	return names, nil
}

// restore writes all files as they were, and removes those that there were not. After an error it goes on with the others.
func (b *backup) restore() error {
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(b.before)) {
		file, was := filepath.Join(b.dir, name), b.before[name]
		text, err := b.read(name)
		switch {
		case err == nil && (text == nil) == (was == nil) && bytes.Equal(text, was):
		case was == nil:
			failed = append(failed, os.Remove(file))
		default:
			failed = append(failed, os.WriteFile(file, was, 0o644)) // a file that exists keeps its mode
		}
	}
	return errors.Join(failed...)
}

// diff returns what was changed, as git diff prints it.
func (b *backup) diff(ctx context.Context, names []string) (string, error) {
	dir, err := os.MkdirTemp("", "vedette-migrate-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for _, side := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o755); err != nil {
			return "", err
		}
	}
	for _, name := range names {
		now, err := b.read(name)
		if err != nil {
			return "", err
		}
		for side, text := range map[string][]byte{"a": b.before[name], "b": now} {
			if text == nil {
				continue
			}
			file := filepath.Join(dir, side, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return "", err
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				return "", err
			}
		}
	}
	cmd := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--no-prefix", "a", "b")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) { // 1: there are differences
		return "", fmt.Errorf("git diff: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// record is what Undo needs to know. It is in the git folder, so that it is never committed.
type record struct {
	Commit string `json:"commit"`
	// Files are those that were changed.
	Files map[string]change `json:"files"`
}

// change is what was done to a file.
type change struct {
	// Before is its text, nil if there was no such file.
	Before []byte `json:"before"`
	// After is a hash of what was written.
	After string `json:"after"`
}

// record returns the record of the files that were changed.
func (b *backup) record(commit string, names []string) record {
	rec := record{Commit: commit, Files: map[string]change{}}
	for _, name := range names {
		rec.Files[name] = change{b.before[name], b.hash(name)}
	}
	return rec
}

// hash returns a hash of the text of a file, or "" if it cannot be read.
func (b *backup) hash(name string) string {
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
