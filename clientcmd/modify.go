package clientcmd

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// ModifyConfig changes files so that configAccess loads newConfig: start from its GetStartingConfig, and modify that.
//
// Each entry that differs is written to the file it came from, its LocationOfOrigin, and new ones to the default file. A
// new current-context goes to the default file; an empty one is removed from the file that sets it. Preferences go to
// the first file in which they differ. Extensions of the config itself are not written.
//
// With relativizePaths, paths in changed entries become relative to the file, where that needs no "..".
//
// All files are read before the first is written, and each is written once.
func ModifyConfig(configAccess ConfigAccess, newConfig clientcmdapi.Config, relativizePaths bool) error {
	if UseModifyConfigLock {
		unlock, err := lockFiles(configAccess.GetLoadingPrecedence())
		if err != nil {
			return err
		}
		defer unlock()
	}
	old, err := configAccess.GetStartingConfig()
	if err != nil {
		return err
	}
	m := modification{access: configAccess, relativize: relativizePaths, files: map[string]*clientcmdapi.Config{}}
	if err := m.apply(old, &newConfig); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if err := WriteToFile(*m.files[file], file); err != nil {
			return err
		}
	}
	return nil
}

// modification collects the changes.
type modification struct {
	access     ConfigAccess
	relativize bool
	files      map[string]*clientcmdapi.Config // files to write, by canonical path, with the changes made so far
}

func (m *modification) apply(old, want *clientcmdapi.Config) error {
	if old.CurrentContext != want.CurrentContext {
		if err := m.setCurrentContext(want.CurrentContext); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(old.Preferences, want.Preferences) {
		if err := m.setPreferences(want.Preferences); err != nil {
			return err
		}
	}
	if err := modifyEntries(m, "cluster", old.Clusters, want.Clusters, clusterEntries); err != nil {
		return err
	}
	if err := modifyEntries(m, "user", old.AuthInfos, want.AuthInfos, userEntries); err != nil {
		return err
	}
	return modifyEntries(m, "context", old.Contexts, want.Contexts, contextEntries)
}

// edit returns the contents of a file, to be modified.
func (m *modification) edit(file string) (*clientcmdapi.Config, error) {
	if file == "" {
		return nil, errors.New("no config found to write: the loading rules have no file")
	}
	file = canonical(file)
	if config := m.files[file]; config != nil {
		return config, nil
	}
	config, err := readOrNew(file)
	if err != nil {
		return nil, err
	}
	m.files[file] = config
	return config, nil
}

// canonical returns the same path for all names of a file: it must not be written twice, each time with half of the
// changes.
func canonical(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return file
}

// setCurrentContext writes a name to the default file. The empty name removes it from the file that currently takes
// precedence.
func (m *modification) setCurrentContext(name string) error {
	file := m.access.GetDefaultFilename()
	if name == "" && !m.access.IsExplicitFile() {
		setter, err := m.firstFile(func(config *clientcmdapi.Config) bool { return config.CurrentContext != "" })
		if err != nil {
			return err
		}
		if setter == "" {
			return errors.New("no config found to write context")
		}
		file = setter
	}
	config, err := m.edit(file)
	if err != nil {
		return err
	}
	config.CurrentContext = name
	return nil
}

func (m *modification) setPreferences(prefs clientcmdapi.Preferences) error {
	file, err := m.firstFile(func(config *clientcmdapi.Config) bool { return !reflect.DeepEqual(config.Preferences, prefs) })
	if err != nil {
		return err
	}
	if file == "" {
		return errors.New("no config found to write preferences")
	}
	config, err := m.edit(file)
	if err != nil {
		return err
	}
	config.Preferences = prefs
	return nil
}

// firstFile returns the first file that matches, or "".
func (m *modification) firstFile(match func(*clientcmdapi.Config) bool) (string, error) {
	for _, file := range m.access.GetLoadingPrecedence() {
		if file == "" {
			continue
		}
		config, err := readOrNew(file)
		if err != nil {
			return "", err
		}
		if match(config) {
			return file, nil
		}
	}
	return "", nil
}

// readOrNew reads a file. One that does not exist is empty.
func readOrNew(filename string) (*clientcmdapi.Config, error) {
	config, err := LoadFromFile(filename)
	if errors.Is(err, os.ErrNotExist) {
		return clientcmdapi.NewConfig(), nil
	}
	return config, err
}

// GetConfigFromFileOrDie reads a file, and exits the program if it cannot. A file that does not exist is empty.
func GetConfigFromFileOrDie(filename string) *clientcmdapi.Config {
	config, err := readOrNew(filename)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(255)
	}
	return config
}
