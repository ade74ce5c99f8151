package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vedette.dev/cmd/vedette/internal/patch"
)

// patchClientGo is the flags of 'vedette patch-client-go'.
type patchClientGo struct {
	*streams
	config patch.Config
	undo   bool
}

func newPatchClientGo(s *streams) *cobra.Command {
	p := &patchClientGo{streams: s}
	cmd := &cobra.Command{
		Use:   "patch-client-go [FOLDER]",
		Short: "Make every shared informer of a program run on Vedette, without a change in its source",
		Long: `Writes a copy of the client-go version that the Go module in FOLDER uses, in which shared informers run on Vedette, and adds lines
to go.mod that make the module use the copy. FOLDER is the current one if it is not given. The versions 0.36 and 0.37 are supported.

The copy is client-go as it was published: two of its lines are changed, and a few files are added. Informers of factories that informer-gen
has written, and dynamic and metadata informers, read the bytes that the API server sends. Informers with list and watch functions of the
program's own use the objects that these return.

A controller-runtime program can use vedette.dev/bridge/ctrl instead, which takes one line.`,
		Example: examples(`
			# The module in the current folder, with the source of Vedette in another
			vedette patch-client-go --vedette ../vedette

			# client-go as it was
			vedette patch-client-go --undo`),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%q is one argument too many; expected FOLDER", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.config.Dir = args[0]
			}
			return p.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&p.config.Copy, "dir", "client-go-on-vedette", "Folder of the copy, relative to go.mod")
	flags.StringVar(&p.config.Vedette, "vedette", "", "Version of vedette.dev, or a folder with its source (default the version in go.mod)")
	flags.BoolVar(&p.undo, "undo", false, "Remove the copy, and the lines added to go.mod")
	return cmd
}

func (p *patchClientGo) run(ctx context.Context) error {
	p.config.Progress = func(step string) { fmt.Fprintf(p.err, "%s …\n", step) }
	if p.undo {
		done, err := patch.Undo(ctx, p.config)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "%s uses client-go as it was published. %s is gone.\n", done.Module, done.Copy)
		p.vendored(done)
		return nil
	}
	done, err := patch.Apply(ctx, p.config)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s has client-go %s with shared informers that run on Vedette.\n", done.Copy, done.Version)
	fmt.Fprintf(p.out, "Added to %s:\n  %s\n", filepath.Join(done.Module, "go.mod"), strings.Join(done.Replaced, "\n  "))
	p.vendored(done)
	fmt.Fprintf(p.out, "Build and test the program as before. To undo this:\n  vedette patch-client-go --undo --dir %s %s\n", p.config.Copy, done.Module)
	return nil
}

func (p *patchClientGo) vendored(done *patch.Report) {
	if done.Vendored {
		fmt.Fprintln(p.out, "There is a vendor folder: run go mod vendor.")
	}
}
