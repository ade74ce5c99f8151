package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	status, err := r.run(ctx, "status", "--porcelain", "--untracked-files=all", "--", ".")
	if err != nil {
		return "", fmt.Errorf("%s is not in a git repository, so that the changes could not be seen or undone; run git init and commit the program first: %w", r.dir, err)
	}
	var dirty []string
	for line := range strings.Lines(status) {
		if name := strings.Trim(strings.TrimSpace(line[2:]), `"`); !strings.HasPrefix(line, "??") || strings.HasSuffix(name, ".go") {
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

// tracked returns the files of the module that git has.
func (r repository) tracked(ctx context.Context) (map[string]bool, error) {
	out, err := r.run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name := range strings.SplitSeq(out, "\x00") {
		names[filepath.FromSlash(name)] = true
	}
	return names, nil
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
func (r repository) save(ctx context.Context, rec record) error {
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
