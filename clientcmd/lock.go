package clientcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// UseModifyConfigLock makes [ModifyConfig] take a lock on each file: a file of the same name with the suffix ".lock", as
// kubectl does. Set it to false only in a program that has exclusive use of its files, and before the first call.
var UseModifyConfigLock = true

// lockFiles takes the locks of all files or of none. It does not wait for a lock that is taken, but returns an error:
// the lock may be stale.
func lockFiles(files []string) (unlock func(), err error) {
	var taken []string
	unlock = func() {
		for _, lock := range taken {
			os.Remove(lock)
		}
	}
	for _, lock := range lockNames(files) {
		if err := takeLock(lock); err != nil {
			unlock()
			return nil, err
		}
		taken = append(taken, lock)
	}
	return unlock, nil
}

// lockNames returns each lock once, in a fixed order, so that two programs cannot deadlock.
func lockNames(files []string) []string {
	var locks []string
	for _, file := range files {
		if file != "" {
			locks = append(locks, filepath.Clean(file)+".lock")
		}
	}
	slices.Sort(locks)
	return slices.Compact(locks)
}

func takeLock(lock string) error {
	if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the kubeconfig is locked by another program; if there is none, remove the stale lock file: %w", err)
	}
	if err != nil {
		return err
	}
	return f.Close()
}
