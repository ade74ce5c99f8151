package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `Vedette watches Kubernetes clusters and shows their objects and changes.

The flags that select a cluster (--kubeconfig, --context, --namespace and so on), the variable KUBECONFIG, and their precedence are
those of kubectl. In a terminal, commands show progress and redraw their output; in a pipe they only print lines. NO_COLOR disables
colours.

Exit status:
  0    success
  1    the command failed; standard error has the cause and what to do
  2    the arguments are invalid, and nothing was done
  130  Ctrl-C interrupted the command. 'serve', 'watch' and 'console' end with Ctrl-C: their status is 0.
       'demo' without --for ends with Ctrl-C and its verdict: 0 or 1.`

// newRoot returns the command with all its subcommands.
func newRoot(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "vedette",
		Short: "Show the objects of a Kubernetes cluster and how they change",
		Long:  rootLong,
		Example: examples(`
			# Informers and an operator that recover from faults, shown in the browser
			vedette demo

			# An API server to try things out on, with 1,000 pods of which some change all the time
			vedette serve --fill pods=1000 --churn 50

			# How many pods are on which node, live
			vedette watch pods -A --by node

			# Which changes load the API server
			vedette churn --for 30s

			# The console, with informers on a cluster
			vedette console --resource pods,deployments.apps -A

			# Why nothing happens to an object
			vedette explain web default/shop --url http://localhost:8081

			# Which kinds a program should store packed, and which not
			vedette advise --url http://localhost:8081

			# Which replica of a group owns which shards
			vedette shards pods -n ops

			# All shared informers of a client-go program on Vedette
			vedette patch-client-go --vedette ../vedette

			# A program for client-go, rewritten for Vedette
			vedette migrate --vedette ../vedette`),
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: plainly(err), command: cmd.CommandPath()}
	})
	root.AddCommand(newDemo(s), newServe(s), newWatch(s), newChurn(s), newConsole(s), newExplain(s), newAdvise(s), newShards(s), newPatchClientGo(s), newMigrate(s), newVersion(s))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		refineDefault(root, cmd)
	}
	return root
}

// refineDefault makes cobra's own commands return an error for unknown arguments. By default they print help and succeed.
func refineDefault(root, cmd *cobra.Command) {
	switch cmd.Name() {
	case "completion":
		cmd.Args = noSuchCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		cmd.Example = examples(`
			# For this shell
			source <(vedette completion bash)`)
	case "help":
		cmd.Args = func(_ *cobra.Command, args []string) error {
			if about, _, err := root.Find(args); err != nil || len(args) > 0 && about == root {
				return noSuchCommand(root, args)
			}
			return nil
		}
	}
}

// noSuchCommand returns an error for an argument that is not a subcommand.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		text += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usagef("%s", text)
}

// exactly returns an error unless there are n arguments. usage names them.
func exactly(n int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usagef("%s is missing", strings.Fields(usage)[len(args)])
		case len(args) > n:
			return usagef("%q is one argument too many; expected %s", args[n], usage)
		}
		return nil
	}
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is not expected: the command takes flags only", args[0])
	}
	return nil
}

// examples replaces the indentation of the source code by two spaces, as cobra expects.
func examples(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		if line = strings.TrimLeft(line, "\t"); line != "" {
			line = "  " + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
