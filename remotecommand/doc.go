// Package remotecommand runs commands in containers, and attaches to the process of a container: stdin, stdout, stderr, terminals,
// and exit codes.
//
//	Executor       runs the command of one request; StreamWithContext
//	StreamOptions  the streams, and whether there is a terminal
//
// There are three executors. NewWebSocketExecutor is for Kubernetes 1.30 and newer, NewSPDYExecutor for all versions, and
// NewFallbackExecutor tries one and then the other. The examples have the request.
//
// # What StreamWithContext returns
//
//   - nil if the command succeeded, and its output has been written.
//   - exec.CodeExitError if the command ended with another exit code than 0.
//   - What the server says if it did not run the command: a *errors.StatusError of k8s.io/apimachinery, if the server sent one. If the
//     server refused the WebSocket, httpstream.IsUpgradeFailure is true, too.
//   - An error if the connection was lost before the server has sent the command's result. The command may still run.
//   - The error of Stdin.Read, Stdout.Write or Stderr.Write, if one failed and the command succeeded. After such an error stdin has
//     ended for the command, and further output is dropped.
//   - ctx.Err() when ctx ends.
//
// # Goroutines and slow readers
//
// When StreamWithContext returns, the connection is closed and nothing of it runs, with one exception: a call of Stdin.Read or
// TerminalSizeQueue.Next cannot be interrupted, so that a goroutine waits for it to return, and drops what it returns. If ctx has
// ended, the same is true for a Write that takes more than a second.
//
// A slow Stdout does not keep Stderr from being written, until about 1 MiB of output waits. Then the server has to wait, and with it
// the other streams, because neither protocol has flow control for each stream.
//
// A server that stops answering is noticed after a minute, unless the command has left some of its stdin unread: such a server
// cannot answer. Then the connection ends when TCP gives up.
package remotecommand
