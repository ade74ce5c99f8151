package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// WriteToFile writes the config to a file, with all or nothing: a reader sees the old file or the new one, and an error
// leaves the old one. A new file gets the mode 0600, and folders that are missing are made. An existing file keeps its
// mode and owner, and a symbolic link stays a link.
//
// What cannot be replaced without loss is written in place: a file with several hard links, or of an owner that we
// cannot give it back to, or one that is mounted into a container.
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

// errInPlace says that a file cannot be replaced, and that nothing has changed.
var errInPlace = errors.New("to be written in place")

// replaceFile puts a new file in the place of the old one, if there is one.
func replaceFile(filename string, data []byte) error {
	old, err := os.Stat(filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(filename); err == nil {
			return errInPlace // a link to a file that is to be made
		}
		old = nil
	case err != nil || !old.Mode().IsRegular():
		return errInPlace // for the system to say what is wrong, or right
	default:
		// A rename replaces a link and not what it points to, and does not ask whether the file may be written.
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

// fill makes temp what is to stand in the place of the old file, and closes it.
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
