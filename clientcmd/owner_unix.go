//go:build unix

package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner of the file that it will replace. Without that, root would take a user's file away.
func keepOwner(f *os.File, old fs.FileInfo) error {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if want.Nlink > 1 {
		return errors.New("the file has other names, which would keep the old contents")
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

// isReadOnly recognizes a file system that cannot be written to.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
