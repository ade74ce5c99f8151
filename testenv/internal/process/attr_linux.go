package process

import "syscall"

// TiedToParent returns attributes for a process that must not outlive the thread that starts it, and does not receive
// the terminal's Ctrl-C.
func TiedToParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// detached returns attributes for the shell, which has to outlive its parent and its parent's terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
