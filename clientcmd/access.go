package clientcmd

import (
	"os"
	"path/filepath"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// ConfigAccess gives access to the files of a kubeconfig, to read and to change them.
type ConfigAccess interface {
	// GetLoadingPrecedence returns the files that are read, the one that takes precedence first.
	GetLoadingPrecedence() []string
	// GetStartingConfig returns the config to start from: that of the files, or an empty one if there are none.
	GetStartingConfig() (*clientcmdapi.Config, error)
	// GetDefaultFilename returns the file that gets new entries. It may not exist yet.
	GetDefaultFilename() string
	// IsExplicitFile reports whether a single file was specified, in place of the default files.
	IsExplicitFile() bool
	// GetExplicitFile returns that file, or "".
	GetExplicitFile() string
}

// PathOptions are the ConfigAccess of a program like "kubectl config": the environment is read when a method is called,
// and paths are not resolved.
type PathOptions struct {
	// GlobalFile is used when the environment variable is not set.
	GlobalFile string
	// EnvVar is the environment variable that lists files. Empty means none.
	EnvVar string
	// ExplicitFileFlag is the name of the flag for LoadingRules.ExplicitPath.
	ExplicitFileFlag string

	// GlobalFileSubpath is GlobalFile without the home directory, for help texts.
	GlobalFileSubpath string

	// LoadingRules are the rules for loading. Their Precedence is not used. Must not be nil.
	LoadingRules *ClientConfigLoadingRules
}

var _ ConfigAccess = (*PathOptions)(nil)

// NewDefaultPathOptions returns the options of kubectl.
func NewDefaultPathOptions() *PathOptions {
	rules := NewDefaultClientConfigLoadingRules()
	rules.DoNotResolvePaths = true
	return &PathOptions{
		GlobalFile:        RecommendedHomeFile,
		EnvVar:            RecommendedConfigPathEnvVar,
		ExplicitFileFlag:  RecommendedConfigPathFlag,
		GlobalFileSubpath: filepath.Join(RecommendedHomeDir, RecommendedFileName),
		LoadingRules:      rules,
	}
}

// GetEnvVarFiles returns the files in the environment variable, each once.
func (o *PathOptions) GetEnvVarFiles() []string {
	if o.EnvVar == "" {
		return []string{}
	}
	return append([]string{}, splitList(os.Getenv(o.EnvVar))...)
}

// GetLoadingPrecedence implements ConfigAccess.
func (o *PathOptions) GetLoadingPrecedence() []string {
	if o.IsExplicitFile() {
		return []string{o.GetExplicitFile()}
	}
	if files := o.GetEnvVarFiles(); len(files) > 0 {
		return files
	}
	return []string{o.GlobalFile}
}

// GetStartingConfig implements ConfigAccess.
func (o *PathOptions) GetStartingConfig() (*clientcmdapi.Config, error) {
	rules := *o.LoadingRules
	rules.Precedence = o.GetLoadingPrecedence()
	return rules.GetStartingConfig()
}

// GetDefaultFilename implements ConfigAccess: the explicit file, or of those in the environment the first that exists or
// else the last, or GlobalFile.
func (o *PathOptions) GetDefaultFilename() string {
	if o.IsExplicitFile() {
		return o.GetExplicitFile()
	}
	files := o.GetEnvVarFiles()
	if len(files) == 0 {
		return o.GlobalFile
	}
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return files[len(files)-1]
}

// IsExplicitFile implements ConfigAccess.
func (o *PathOptions) IsExplicitFile() bool { return o.LoadingRules.IsExplicitFile() }

// GetExplicitFile implements ConfigAccess.
func (o *PathOptions) GetExplicitFile() string { return o.LoadingRules.GetExplicitFile() }
