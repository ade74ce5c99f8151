package source

import (
	"os"
	"path/filepath"
)

// Files are generated files, by their names in the folder for which they are made.
type Files map[string][]byte

// Write writes the files into a folder, and removes those that match one of the patterns and would not be written
// again: they are from an older version of k8s.io/api. Hand-written files beside them are not removed.
func (f Files) Write(out string, patterns ...string) error {
	stale, err := f.Stale(out, patterns...)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(out, name)); err != nil {
			return err
		}
	}
	for name, content := range f {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Stale are the files in a folder that match one of the patterns, and are not in f.
func (f Files) Stale(out string, patterns ...string) ([]string, error) {
	var stale []string
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			name, err := filepath.Rel(out, path)
			if err != nil {
				return nil, err
			}
			if name = filepath.ToSlash(name); f[name] == nil {
				stale = append(stale, name)
			}
		}
	}
	return stale, nil
}

// Changed are the files that are not in the folder, or not as they are in f.
func (f Files) Changed(out string) []string {
	var changed []string
	for name, want := range f {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != string(want) {
			changed = append(changed, name)
		}
	}
	return changed
}
