//go:build !unix

package process

import "syscall"

// TiedToParent exists for the compiler: nothing is started on systems without kube-apiserver.
func TiedToParent() *syscall.SysProcAttr { return nil }

func detached() *syscall.SysProcAttr { return nil }
