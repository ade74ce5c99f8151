package clientcmd

import (
	"os"
	"path/filepath"
	"runtime"
)

// Locations of kubeconfig files.
const (
	RecommendedConfigPathFlag   = "kubeconfig"
	RecommendedConfigPathEnvVar = "KUBECONFIG"
	RecommendedHomeDir          = ".kube"
	RecommendedFileName         = "config"
	RecommendedSchemaName       = "schema"
)

// The home directory at the start of the program. A program that changes HOME later, or wants another default, sets
// them.
var (
	RecommendedConfigDir  = filepath.Join(homeDir(), RecommendedHomeDir)
	RecommendedHomeFile   = filepath.Join(RecommendedConfigDir, RecommendedFileName)
	RecommendedSchemaFile = filepath.Join(RecommendedConfigDir, RecommendedSchemaName)
)

func homeDir() string {
	home := os.Getenv("HOME")
	if runtime.GOOS != "windows" {
		return home
	}
	drivePath := ""
	if drive, path := os.Getenv("HOMEDRIVE"), os.Getenv("HOMEPATH"); drive != "" && path != "" {
		drivePath = drive + path
	}
	return windowsHome(home, drivePath, os.Getenv("USERPROFILE"))
}

// windowsHome selects among three candidates: the first that has a kubeconfig, is writable, exists, or is set. Tools
// disagree on the order of the last two, so it differs if there is no kubeconfig yet.
func windowsHome(home, drivePath, profile string) string {
	for _, dir := range []string{home, drivePath, profile} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, RecommendedHomeDir, RecommendedFileName)); err == nil {
			return dir
		}
	}
	set, exists := "", ""
	for _, dir := range []string{home, profile, drivePath} {
		if dir == "" {
			continue
		}
		if set == "" {
			set = dir
		}
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if exists == "" {
			exists = dir
		}
		if info.IsDir() && info.Mode().Perm()&0o200 != 0 {
			return dir
		}
	}
	if exists != "" {
		return exists
	}
	return set
}
