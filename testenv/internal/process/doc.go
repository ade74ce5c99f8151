// Package process runs servers for as long as a test runs, and not a moment longer.
//
// A [Keeper] owns a folder and the [Process]es that work in it. [Keeper.Close] kills them and removes the folder. If this
// program ends without calling it (a panic, os.Exit, the timeout of go test, kill -9) the same happens all the same:
//
//   - A small shell, started together with the keeper, reads from a pipe that nobody else holds. When this program is gone,
//     however it went, the pipe ends; the shell then kills what it was told of, and removes the folder.
//   - On Linux the kernel is asked to kill each process when its parent dies. This closes the gap between the start of a
//     process and the moment when the shell hears of it.
//
// Processes are in process groups of their own: a Ctrl-C in the terminal is for this program to act on.
package process
