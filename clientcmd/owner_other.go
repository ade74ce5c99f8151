//go:build !unix

package clientcmd

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to do: a new file inherits its owner and rights from the folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// isReadOnly recognizes nothing: here a file system that cannot be written to is a lack of permission.
func isReadOnly(error) bool { return false }
