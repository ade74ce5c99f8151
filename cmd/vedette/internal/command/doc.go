// Package command implements the vedette command: its subcommands, their flags, and their output.
//
//   - [Main] runs it with the arguments, streams and signals of the process, and returns its exit status.
//   - Each subcommand is a file, newServe, newWatch and so on, that parses flags into a struct and runs it. Invalid
//     flags are usage errors, which are reported before anything is done.
//   - What the subcommands share: streams (terminals and colours), the cluster selected by flags, errors with hints,
//     and signals.
//
// # Guarantees
//
//   - Standard output has the requested output, standard error everything else. In a pipe there is no progress, no
//     colour and no redrawing.
//   - The first Ctrl-C ends the command in order, the second one exits at once; either way the state of the terminal is
//     restored.
//   - When a subcommand returns, no goroutine of it is left.
package command
