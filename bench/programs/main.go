package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("programs", flag.ContinueOnError)
	out := flags.String("out", filepath.Join(os.TempDir(), "vedette-port"), "folder for the output of each step")
	keep := flags.Bool("keep", false, "keep the migrated programs in the folder of -out")
	timeout := flags.Duration("timeout", 10*time.Minute, "limit for the tests of one package")
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "Usage: go run ./programs [flags] [PROGRAM | MODULE@VERSION | FOLDER | PROGRAM=FOLDER]...\n\nPrograms:\n")
		for _, p := range programs {
			fmt.Fprintf(flags.Output(), "  %-22s %s@%s\n", p.Name, p.Module, p.Version)
		}
		fmt.Fprintln(flags.Output(), "\nFlags:")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	if *out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	root, err := folderOf(ctx, "vedette.dev")
	if err != nil {
		return err
	}
	command := filepath.Join(*out, "vedette")
	progress("building vedette")
	if err := logged(ctx, root, *out, "vedette", "go", "build", "-o", command, "./cmd/vedette"); err != nil {
		return err
	}
	var results []result
	for _, p := range chosen {
		port := &porting{program: p, vedette: root, command: command, out: *out, keep: *keep, timeout: *timeout}
		r := port.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.err != nil {
			progress("%s: %v", p.Name, r.err)
		}
		results = append(results, r)
	}
	fmt.Print(table(results))
	return verdict(results)
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+" …\n", args...)
}

// folderOf returns the folder of a module that the module in the current folder requires.
func folderOf(ctx context.Context, module string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("run this in the folder bench of Vedette: %w", explained(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// explained adds what a command has written to standard error.
func explained(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
