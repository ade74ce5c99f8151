package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"vedette.dev/testenv/internal/controlplane"
	"vedette.dev/testenv/internal/process"
)

// compiler builds a recipe with the go command.
type compiler struct {
	recipe   recipe
	progress *progress
}

// giveUp is how long an interrupted go command may take to clean up.
const giveUp = 3 * time.Second

func (c compiler) run(ctx context.Context, dir string) error {
	module := filepath.Join(filepath.Dir(dir), "module")
	tmp := filepath.Join(filepath.Dir(dir), "tmp")
	if err := errors.Join(os.Mkdir(module, 0o755), os.Mkdir(tmp, 0o755), controlplane.WriteTo(module)); err != nil {
		return err
	}
	c.progress.begin("building %v with %s: the first time, this takes minutes on two cores, then it is kept in %s",
		c.recipe, c.recipe.goVersion, filepath.Dir(filepath.Dir(dir)))
	err := c.patch(ctx, module, tmp)
	if err == nil {
		err = c.buildIn(ctx, module, tmp, dir)
	}
	c.progress.end(err)
	if err != nil {
		return fmt.Errorf("building %v: %w", c.recipe, c.explain(ctx, err))
	}
	for _, p := range c.recipe.programs {
		if err := os.Rename(filepath.Join(dir, p.Built), filepath.Join(dir, p.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (c compiler) buildIn(ctx context.Context, module, tmp, dir string) error {
	// Programs do not count: they are linked anew each time, even if all their packages have been compiled.
	stale, err := c.command(ctx, module, tmp, "go", c.args("list", "-deps", "-f", `{{if and .Stale (ne .Name "main")}}x{{end}}`)...)
	if err != nil {
		return err
	}
	c.progress.expect(strings.Count(stale, "x"))
	_, err = c.command(ctx, module, tmp, "go", c.args("build", "-v", "-o", dir+string(filepath.Separator))...)
	return err
}

func (c compiler) args(command string, more ...string) []string {
	args := append([]string{command}, c.recipe.flags()...)
	args = append(args, more...)
	for _, p := range c.recipe.programs {
		args = append(args, p.Package)
	}
	return args
}

// command runs the go command, or one that runs it, and returns its output. Its messages go to the progress.
func (c compiler) command(ctx context.Context, dir, tmp, name string, args ...string) (string, error) {
	// A command whose parent is killed is killed too. That hangs on the thread that started it: see package process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = c.recipe.environ(os.Environ(), tmp)
	cmd.SysProcAttr = process.TiedToParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = giveUp
	var out strings.Builder
	cmd.Stdout = &out
	said := &listener{progress: c.progress}
	cmd.Stderr = said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, said.complaints())
	}
	return out.String(), nil
}

// explain adds a hint to the error.
func (c compiler) explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: the go command is needed; put it into the PATH", err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("out of time; what is compiled so far is kept, to finish it run\n"+
			"\tgo run vedette.dev/testenv/cmd/testenv build\nand then the tests again (or give go test a longer -timeout): %w", ctx.Err())
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted; what is compiled so far is kept: %w", ctx.Err())
	default:
		return err
	}
}
