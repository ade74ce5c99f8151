//go:build !unix

package clientcmd

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits its owner and permissions from the folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// isReadOnly returns false: on this system a read-only file system is a permission error.
func isReadOnly(error) bool { return false }
