// Package command is the command vedette: its subcommands, their flags, and what they say.
//
//   - [Main] runs it with the arguments, streams and signals of the process, and returns its exit status.
//   - Each subcommand is a file, newServe, newWatch and so on, that reads flags into a struct and runs it. What can be told from
//     flags alone is refused before anything is done, as a usage error.
//   - What the subcommands share: streams (what is a terminal, what may be coloured), the cluster that flags name, errors
//     that tell people what to do, and signals.
//
// # What holds
//
//   - Standard output has what was asked for, standard error all else. In a pipe there is no progress, no colour and no redrawing.
//   - The first Ctrl-C ends what is under way in order, the second ends the process at once; either way the terminal is left as
//     it was found.
//   - When a subcommand returns, nothing runs that it started.
package command
