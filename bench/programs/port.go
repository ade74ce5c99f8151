package main

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
	"strings"
	"time"
)

// porting is the migration of one program.
type porting struct {
	program
	vedette string // folder with the source of Vedette
	command string // the command vedette
	out     string // folder for outputs
	keep    bool
	timeout time.Duration
}

// result is what came of one program.
type result struct {
	program
	before, after tests
	summary       summary
	err           error // of a step other than a test
}

func (p *porting) run(ctx context.Context) (r result) {
	r.program = p.program
	progress("%s: getting the source", p.Name)
	source, err := p.source(ctx)
	if err != nil {
		r.err = err
		return r
	}
	dir := filepath.Join(p.out, p.Name)
	if !p.keep {
		defer os.RemoveAll(dir)
	}
	if r.err = p.copy(ctx, source, dir); r.err != nil {
		return r
	}
	progress("%s: testing it with client-go", p.Name)
	if r.before, r.err = p.test(ctx, dir, "before"); r.err != nil {
		return r
	}
	progress("%s: vedette migrate", p.Name)
	log := p.log("migrate")
	// The command fails if the program does not compile afterwards. What it wrote says so too.
	migrateErr := logged(ctx, dir, p.out, filepath.Base(log), p.command, append([]string{"migrate", "--vedette", p.vedette}, p.Packages...)...)
	text, err := os.ReadFile(log)
	if err != nil {
		r.err = err
		return r
	}
	if r.summary = readSummary(string(text)); !r.summary.done {
		r.err = errors.Join(fmt.Errorf("vedette migrate wrote no summary: see %s", log), migrateErr)
		return r
	}
	progress("%s: testing it with Vedette", p.Name)
	r.after, r.err = p.test(ctx, dir, "after")
	return r
}

func (p *porting) log(step string) string { return filepath.Join(p.out, p.Name+"-"+step+".log") }

// source returns the folder with the source of the program.
func (p *porting) source(ctx context.Context) (string, error) {
	if p.Folder != "" {
		return p.Folder, nil
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", p.Module+"@"+p.Version)
	cmd.Dir = os.TempDir() // not in a module, whose requirements would count
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil {
		return "", errors.Join(explained(err), jsonErr)
	}
	if module.Error != "" {
		return "", fmt.Errorf("not to be had: %s", strings.Join(strings.Fields(module.Error), " "))
	}
	return module.Dir, explained(err)
}

// copy copies the source to dir, prepares it, and makes it a git repository with one commit. A vendor folder is left out.
func (p *porting) copy(ctx context.Context, source, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		switch {
		case entry.IsDir() && (name == ".git" || name == "vendor"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(to, 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, info.Mode().Perm()|0o600)
	})
	if err != nil {
		return err
	}
	if len(p.Edits) > 0 {
		for _, args := range [][]string{append([]string{"mod", "edit"}, p.Edits...), {"mod", "tidy"}} {
			if err := logged(ctx, dir, p.out, p.Name+"-prepare.log", "go", args...); err != nil {
				return err
			}
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "--all", "--force"},
		{"-c", "user.name=port", "-c", "user.email=port@localhost", "commit", "--quiet", "--message", "the program"},
	} {
		if err := logged(ctx, dir, p.out, p.Name+"-git.log", "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// test runs the tests of the program. Tests that fail are no error.
func (p *porting) test(ctx context.Context, dir, when string) (tests, error) {
	packages := p.Packages
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	args := append([]string{"test", "-mod=mod", "-json", "-count=1", "-timeout", p.timeout.String()}, packages...)
	cmd := command(ctx, dir, "go", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	text := append(stdout.Bytes(), stderr.Bytes()...)
	if writeErr := os.WriteFile(p.log(when), text, 0o644); writeErr != nil {
		return tests{}, writeErr
	}
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return tests{}, err
	}
	found, readErr := readTests(&stdout)
	if readErr != nil {
		return tests{}, readErr
	}
	if len(found.passed)+len(found.failed)+len(found.broken) == 0 {
		return found, fmt.Errorf("no test ran: see %s", p.log(when))
	}
	return found, nil
}

// command returns a command that runs in a module of its own, whatever this process runs in.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// logged runs a command and writes its output to a file in out.
func logged(ctx context.Context, dir, out, log, name string, args ...string) error {
	path := filepath.Join(out, log)
	if filepath.Ext(path) != ".log" {
		path += ".log"
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := command(ctx, dir, name, args...)
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: see %s", filepath.Base(name), args[0], err, path)
	}
	return nil
}
