package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vedette.dev/cmd/vedette/internal/migrate"
)

// migration is the flags of 'vedette migrate'.
type migration struct {
	*streams
	config       migrate.Config
	dryRun, undo bool
}

func newMigrate(s *streams) *cobra.Command {
	m := &migration{streams: s}
	cmd := &cobra.Command{
		Use:   "migrate [PACKAGES]",
		Short: "Rewrite a program for client-go so that it uses Vedette",
		Long: `Rewrites the Go module in the current folder: imports of packages of client-go that Vedette has become Vedette's, and imports of auth
plugins are removed. In tests, fake.NewClientset becomes NewSimpleClientset, which does what client-go's does. Then it compiles the program and its
tests. Where a rest.Config of client-go is used as one of Vedette, or the other way round, because a library is made for client-go, it puts in a
conversion of package vedette.dev/bridge.

It ends with a summary: what was changed, which packages stay with client-go, and what has to be done by hand, with file and line. The git
tree must be clean, so that the changes can be seen with git diff, and undone.

PACKAGES are patterns as for go build, and mean all of the module if there are none.`,
		Example: examples(`
			# Show what would be changed in the module of the current folder
			vedette migrate --dry-run --vedette ../vedette

			# Change it
			vedette migrate --vedette ../vedette

			# Change it back
			vedette migrate --undo`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m.dryRun && m.undo {
				return usagef("--dry-run and --undo cannot be combined")
			}
			m.config.Packages = args
			return m.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&m.config.Dir, "dir", ".", "Folder of the module")
	flags.StringVar(&m.config.Vedette, "vedette", "", "Version of vedette.dev, or a folder that has its source; what go.mod says if not given")
	flags.BoolVar(&m.dryRun, "dry-run", false, "Print the changes as a diff, and leave the files as they are")
	flags.BoolVar(&m.undo, "undo", false, "Restore the files that were changed")
	return cmd
}

// errByHand is the error of a migration after which the program does not compile.
var errByHand = errors.New("the program does not compile yet: see above what has to be done by hand")

func (m *migration) run(ctx context.Context) error {
	m.config.Progress = func(step string) { fmt.Fprintf(m.err, "%s …\n", step) }
	switch {
	case m.undo:
		done, err := migrate.Undo(ctx, m.config)
		if err != nil {
			return err
		}
		fmt.Fprintf(m.out, "%s is as it was: %s restored.\n", done.Module, count(done.Files, "file"))
		return nil
	case m.dryRun:
		done, err := migrate.Try(ctx, m.config)
		if err != nil {
			return err
		}
		fmt.Fprint(m.out, done.Diff)
		m.summary(done)
		fmt.Fprintln(m.out, "Nothing was changed: this was a dry run.")
		return nil
	}
	done, err := migrate.Apply(ctx, m.config)
	if err != nil {
		return err
	}
	m.summary(done)
	fmt.Fprintln(m.out, "To see the changes: git diff\nTo undo them:       vedette migrate --undo")
	if !done.Builds {
		return errByHand
	}
	return nil
}

func (m *migration) summary(done *migrate.Report) {
	fmt.Fprintf(m.out, "\nChanged: %s in %s", count(done.Imports, "import"), count(done.Files, "file"))
	if n := len(done.Removed); n > 0 {
		fmt.Fprintf(m.out, ", %s of auth plugins removed", count(n, "import"))
	}
	if n := len(done.Conversions); n > 0 {
		fmt.Fprintf(m.out, ", %s of a rest.Config", count(n, "conversion"))
	}
	if n := len(done.Forwarded); n > 0 {
		fmt.Fprintf(m.out, ", %s of bridge.ForwardMetrics added", count(n, "call"))
	}
	if n := len(done.Methods); n > 0 {
		fmt.Fprintf(m.out, ", %s of cache.Store added", count(n, "method"))
	}
	if n := len(done.Simple); n > 0 {
		fmt.Fprintf(m.out, ", %s of fake.NewClientset in tests to NewSimpleClientset", count(n, "call"))
	}
	fmt.Fprintln(m.out)
	if done.Raised != "" {
		fmt.Fprintf(m.out, "Raised to %s, which Vedette uses: client-go and the modules that are released with it\n", done.Raised)
	}
	if done.Untidy != "" {
		lines := strings.Split(done.Untidy, "\n")
		fmt.Fprintln(m.out, "go mod tidy failed, and go.mod was completed without it. Run it when what it needs can be downloaded:")
		fmt.Fprintf(m.out, "  %s\n", strings.TrimSpace(lines[len(lines)-1]))
	}
	if len(done.Stays) > 0 {
		fmt.Fprintln(m.out, "Left with client-go:")
		for _, path := range slices.Sorted(maps.Keys(done.Stays)) {
			fmt.Fprintf(m.out, "  %s (%s)\n", path, count(done.Stays[path], "import"))
		}
	}
	if len(done.ByHand) > 0 {
		fmt.Fprintln(m.out, "To do by hand:")
		for _, item := range done.ByHand {
			fmt.Fprintf(m.out, "  %s: %s\n", item.Place, item.Text)
		}
	}
	if len(done.NotCompiled) > 0 {
		fmt.Fprintln(m.out, "Not compiled, because what they import does not compile; when it does, commit it and run vedette migrate again:")
		for _, path := range done.NotCompiled {
			fmt.Fprintf(m.out, "  %s\n", path)
		}
	}
	if len(done.Untracked) > 0 {
		fmt.Fprintln(m.out, "Changed, but not in git, so that git diff does not show it:")
		for _, name := range done.Untracked {
			fmt.Fprintf(m.out, "  %s\n", name)
		}
	}
	if done.Vendored {
		fmt.Fprintln(m.out, "There is a vendor folder: run go mod vendor.")
	}
	switch {
	case done.Builds && len(m.config.Packages) > 0:
		fmt.Fprintln(m.out, "The program compiles, and so do the tests of these packages.")
	case done.Builds:
		fmt.Fprintln(m.out, "The program and its tests compile.")
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
