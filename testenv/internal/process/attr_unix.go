//go:build unix && !linux

package process

import "syscall"

// TiedToParent is for a process that is not to hear the terminal's Ctrl-C. Other systems than Linux cannot tie it to its
// parent: the keeper's shell alone sees to that.
func TiedToParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// detached is for the shell, which has to outlive its parent and its parent's terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
