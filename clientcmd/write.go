package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// WriteToFile writes the config to a file atomically: a reader sees the old file or the new one, and an error leaves
// the old one. A new file has the mode 0600, and missing folders are created. An existing file keeps its mode and
// owner, and a symbolic link stays a link.
//
// A file that cannot be replaced without loss is written in place: one with several hard links, one whose owner cannot
// be kept, or one that is mounted into a container.
func WriteToFile(config clientcmdapi.Config, filename string) error {
	data, err := Write(config)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filename), 0o755); err != nil {
		return err
	}
	if err := replaceFile(filename, data); !errors.Is(err, errInPlace) {
		return err
	}
	return os.WriteFile(filename, data, 0o600)
}

// errInPlace means that a file cannot be replaced, and that nothing has changed.
var errInPlace = errors.New("to be written in place")

// replaceFile replaces the file by a new one.
func replaceFile(filename string, data []byte) error {
	old, err := os.Stat(filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(filename); err == nil {
			return errInPlace // a dangling link; the target is created
		}
		old = nil
	case err != nil || !old.Mode().IsRegular():
		return errInPlace // the write in place reports the error, if there is one
	default:
		// A rename replaces a link and not its target, and does not check write permission.
		if filename, err = filepath.EvalSymlinks(filename); err != nil {
			return errInPlace
		}
		f, err := os.OpenFile(filename, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	temp, err := os.CreateTemp(filepath.Dir(filename), "."+filepath.Base(filename)+".*")
	if err != nil {
		if old != nil && (errors.Is(err, fs.ErrPermission) || isReadOnly(err)) {
			return errInPlace
		}
		return err
	}
	defer os.Remove(temp.Name()) // fails when the file has moved
	if err := fill(temp, data, old); err != nil {
		return err
	}
	if os.Rename(temp.Name(), filename) != nil {
		return errInPlace
	}
	return nil
}

// fill writes the new content to temp, copies mode and owner of the old file, and closes it.
func fill(temp *os.File, data []byte, old fs.FileInfo) error {
	var err error
	if old != nil {
		if keepOwner(temp, old) != nil || temp.Chmod(old.Mode().Perm()) != nil {
			err = errInPlace
		}
	}
	if err == nil {
		_, err = temp.Write(data)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	return err
}
