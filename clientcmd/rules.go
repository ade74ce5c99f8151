package clientcmd

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// ClientConfigLoader loads a kubeconfig.
type ClientConfigLoader interface {
	ConfigAccess
	// IsDefaultConfig reports whether a rest.Config is the default one, without any kubeconfig.
	IsDefaultConfig(*restclient.Config) bool
	// Load returns the current config.
	Load() (*clientcmdapi.Config, error)
}

// ClientConfigLoadingRules are the files that make up a kubeconfig. The zero value has none.
type ClientConfigLoadingRules struct {
	// ExplicitPath, if set, is the only file, and must exist.
	ExplicitPath string
	// Precedence are the files to merge: earlier ones take precedence. Missing files are skipped.
	Precedence []string

	// MigrationRules map a file to its former location. If the file does not exist, but the old one does, it is copied
	// before loading.
	MigrationRules map[string]string

	// DoNotResolvePaths keeps relative paths. Otherwise they are resolved against the folder of their file.
	DoNotResolvePaths bool

	// DefaultClientConfig is what IsDefaultConfig compares with. Nil means that nothing is the default.
	DefaultClientConfig ClientConfig

	// WarnIfAllMissing calls Warner if there are files in Precedence and none of them exists.
	WarnIfAllMissing bool
	// Warner receives the warning about missing files. It may be nil.
	Warner WarningHandler
}

var _ ClientConfigLoader = (*ClientConfigLoadingRules)(nil)

// NewDefaultClientConfigLoadingRules returns the rules of kubectl: the files in KUBECONFIG if that is set, else
// [RecommendedHomeFile]. The environment is read now, not when the files are.
func NewDefaultClientConfigLoadingRules() *ClientConfigLoadingRules {
	rules := &ClientConfigLoadingRules{
		Precedence:     []string{RecommendedHomeFile},
		MigrationRules: currentMigrationRules(),
	}
	if list := os.Getenv(RecommendedConfigPathEnvVar); list != "" {
		rules.Precedence = splitList(list)
		rules.WarnIfAllMissing = true
	}
	return rules
}

// splitList splits the value of KUBECONFIG, and removes duplicates.
func splitList(list string) []string {
	var files []string
	for _, file := range filepath.SplitList(list) {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// Load reads the files and merges them. The first file that has an entry of a name provides the whole entry: later
// files do not add to it. If there is an error, the config of the readable files is returned as well.
func (rules *ClientConfigLoadingRules) Load() (*clientcmdapi.Config, error) {
	if err := rules.Migrate(); err != nil {
		return nil, err
	}
	if rules.ExplicitPath != "" {
		if _, err := os.Stat(rules.ExplicitPath); errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	var missing []string
	var problems []error
	merged, found := clientcmdapi.NewConfig(), false
	for _, file := range rules.GetLoadingPrecedence() {
		if file == "" {
			continue
		}
		config, err := LoadFromFile(file)
		switch {
		case errors.Is(err, os.ErrNotExist):
			missing = append(missing, file)
		case err != nil:
			problems = append(problems, err)
		default:
			found = true
			mergeConfig(merged, config)
		}
	}
	if rules.WarnIfAllMissing && len(missing) > 0 && !found {
		rules.Warner.Warn(MissingConfigError{Missing: missing})
	}
	if rules.ResolvePaths() {
		if err := ResolveLocalPaths(merged); err != nil {
			problems = append(problems, err)
		}
	}
	return merged, utilerrors.NewAggregate(problems)
}

// ResolvePaths reports whether relative paths are made absolute.
func (rules ClientConfigLoadingRules) ResolvePaths() bool { return !rules.DoNotResolvePaths }

// GetLoadingPrecedence implements ConfigAccess.
func (rules *ClientConfigLoadingRules) GetLoadingPrecedence() []string {
	if rules.ExplicitPath != "" {
		return []string{rules.ExplicitPath}
	}
	return slices.Clone(rules.Precedence)
}

// GetStartingConfig implements ConfigAccess.
func (rules *ClientConfigLoadingRules) GetStartingConfig() (*clientcmdapi.Config, error) {
	config, err := rules.Load()
	if errors.Is(err, os.ErrNotExist) {
		return clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return nil, err
	}
	return config, nil
}

// GetDefaultFilename implements ConfigAccess: the explicit file, or the first that exists, or the first.
func (rules *ClientConfigLoadingRules) GetDefaultFilename() string {
	files := rules.GetLoadingPrecedence()
	if rules.IsExplicitFile() || len(files) == 0 {
		return rules.ExplicitPath
	}
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return files[0]
}

// IsExplicitFile implements ConfigAccess.
func (rules *ClientConfigLoadingRules) IsExplicitFile() bool { return rules.ExplicitPath != "" }

// GetExplicitFile implements ConfigAccess.
func (rules *ClientConfigLoadingRules) GetExplicitFile() string { return rules.ExplicitPath }

// IsDefaultConfig implements [ClientConfigLoader].
func (rules *ClientConfigLoadingRules) IsDefaultConfig(config *restclient.Config) bool {
	if rules.DefaultClientConfig == nil {
		return false
	}
	def, err := rules.DefaultClientConfig.ClientConfig()
	return err == nil && reflect.DeepEqual(config, def)
}

// WarningHandler receives warnings.
type WarningHandler func(error)

// Warn calls the handler, if there is one.
func (handler WarningHandler) Warn(err error) {
	if handler != nil {
		handler(err)
	}
}

// MissingConfigError is the warning that no file of KUBECONFIG exists.
type MissingConfigError struct {
	Missing []string
}

func (c MissingConfigError) Error() string {
	return "Config not found: " + strings.Join(c.Missing, ", ")
}
