package clientcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// currentMigrationRules returns the former location of the kubeconfig in the home directory.
func currentMigrationRules() map[string]string {
	old := ".kubeconfig"
	if runtime.GOOS == "windows" {
		old = RecommendedFileName
	}
	return map[string]string{RecommendedHomeFile: filepath.Join(os.Getenv("HOME"), RecommendedHomeDir, old)}
}

// Migrate copies files from their former locations; see MigrationRules. Files without read permission are skipped.
func (rules *ClientConfigLoadingRules) Migrate() error {
	for destination, source := range rules.MigrationRules {
		_, err := os.Stat(destination)
		if err == nil || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		info, err := os.Stat(source)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return err
		}
		if info.IsDir() {
			return fmt.Errorf("cannot migrate %v to %v because it is a directory", source, destination)
		}
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		// The mode is that of the source, without execute permission.
		if err := os.WriteFile(destination, data, info.Mode().Perm()&0o666); err != nil {
			return err
		}
	}
	return nil
}
