package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestModifyConfigLock(t *testing.T) {
	one, two, options := twoFiles(t)
	lock := fileIn(t, filepath.Dir(two), "two.lock", "")
	config, err := options.GetStartingConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.CurrentContext = "x"
	err = ModifyConfig(options, *config, false)
	wantError(t, err, lock, "remove the stale lock")
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Stat(one + ".lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the other lock is kept")
	}
	UseModifyConfigLock = false
	defer func() { UseModifyConfigLock = true }()
	if err := ModifyConfig(options, *config, false); err != nil {
		t.Error(err)
	}
}

// TestLocksExclude: of those who change a file at the same time, each is either refused or loses nothing.
func TestLocksExclude(t *testing.T) {
	path := file(t, "config", "")
	add := func(name string) error {
		unlock, err := lockFiles([]string{path, path, ""})
		if err != nil {
			return err
		}
		defer unlock()
		config, err := LoadFromFile(path)
		if err != nil {
			return err
		}
		config.Clusters[name] = &clientcmdapi.Cluster{Server: name}
		return WriteToFile(*config, path)
	}
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			err := add(name)
			for errors.Is(err, fs.ErrExist) {
				err = add(name)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := load(t, path).Clusters; len(got) != 4 {
		t.Errorf("%d clusters", len(got))
	}
}
