// Package process runs servers for the duration of a test.
//
// A [Keeper] owns a folder and the [Process]es that work in it. [Keeper.Close] kills them and removes the folder. If
// this program ends without calling it (a panic, os.Exit, the timeout of go test, kill -9) the same happens:
//
//   - A small shell, started together with the keeper, reads from a pipe that only this program holds. When this
//     program ends, for any reason, the pipe is closed; the shell then kills the processes on its list, and removes the
//     folder.
//   - On Linux the kernel kills each process when its parent dies. This closes the gap between the start of a process
//     and the moment when the shell knows it.
//
// Processes are in process groups of their own: a Ctrl-C in the terminal is handled by this program.
package process
