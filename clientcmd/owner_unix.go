//go:build unix

package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner of f to that of the file that it will replace. Otherwise root would take over a user's file.
func keepOwner(f *os.File, old fs.FileInfo) error {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if want.Nlink > 1 {
		return errors.New("the file has several hard links")
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if have, ok := info.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// isReadOnly reports whether err is the error of a read-only file system.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
