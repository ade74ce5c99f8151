package process

import "syscall"

// TiedToParent is for a process that must not outlive the thread that starts it, and is not to hear the terminal's
// Ctrl-C.
func TiedToParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// detached is for the shell, which has to outlive its parent and its parent's terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
