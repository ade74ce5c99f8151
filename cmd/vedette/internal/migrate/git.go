package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repository is the git repository of a module.
type repository struct{ dir string }

func (r repository) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// clean returns an error if the module is not in a git repository, or has changes that are not committed.
func (r repository) clean(ctx context.Context) (commit string, err error) {
	status, err := r.run(ctx, "status", "--porcelain", "--", ".")
	if err != nil {
		return "", fmt.Errorf("%s is not in a git repository, so that the changes could not be seen or undone; run git init and commit the program first: %w", r.dir, err)
	}
	var dirty []string
	for line := range strings.Lines(status) {
		if name := strings.TrimSpace(line[2:]); !strings.HasPrefix(line, "??") || strings.HasSuffix(name, ".go") {
			dirty = append(dirty, name)
		}
	}
	if len(dirty) > 0 {
		return "", fmt.Errorf("%s has changes that are not committed, such as %s; commit or stash them first", r.dir, strings.Join(dirty[:min(3, len(dirty))], ", "))
	}
	head, err := r.run(ctx, "rev-parse", "HEAD")
	if err != nil {
		return "", fmt.Errorf("%s has no commit to go back to: %w", r.dir, err)
	}
	return strings.TrimSpace(head), nil
}

// restore writes files as they were in a commit, and removes those that were not in it.
func (r repository) restore(ctx context.Context, commit string, files []string) error {
	for _, name := range files {
		if _, err := r.run(ctx, "cat-file", "-e", commit+":./"+filepath.ToSlash(name)); err != nil {
			if err := os.Remove(filepath.Join(r.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if _, err := r.run(ctx, "restore", "--source="+commit, "--worktree", "--", name); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the files that differ from the commit.
func (r repository) changed(ctx context.Context) (files []string, err error) {
	out, err := r.run(ctx, "status", "--porcelain", "--untracked-files=all", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	prefix, err := r.run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		name := strings.TrimPrefix(entry[3:], strings.TrimSpace(prefix))
		if !strings.HasPrefix(entry, "??") || name == "go.sum" {
			files = append(files, filepath.FromSlash(name))
		}
	}
	return files, nil
}

// record is what Undo needs to know. It is in the git folder, so that it is never committed.
type record struct {
	Commit string `json:"commit"`
	// Files has a hash of each file as it was written.
	Files map[string]string `json:"files"`
}

func (r repository) recordName(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	prefix, err := r.run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	module := strings.ReplaceAll(strings.Trim(strings.TrimSpace(prefix), "/"), "/", "-")
	return filepath.Join(strings.TrimSpace(out), strings.TrimSuffix("vedette-migrate-"+module, "-")+".json"), nil
}

// save writes the record.
func (r repository) save(ctx context.Context, commit string, files []string) error {
	rec := record{Commit: commit, Files: map[string]string{}}
	for _, name := range files {
		rec.Files[name] = r.hash(name)
	}
	data, err := json.MarshalIndent(rec, "", "\t")
	if err != nil {
		return err
	}
	name, err := r.recordName(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func (r repository) hash(name string) string {
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
