//go:build unix && !linux

package process

import "syscall"

// TiedToParent returns attributes for a process that does not receive the terminal's Ctrl-C. Only Linux can tie it to
// its parent: elsewhere the keeper's shell kills it.
func TiedToParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// detached returns attributes for the shell, which has to outlive its parent and its parent's terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
