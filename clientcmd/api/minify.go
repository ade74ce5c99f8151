package api

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// IsConfigEmpty reports whether a config is empty.
func IsConfigEmpty(config *Config) bool {
	return len(config.AuthInfos) == 0 && len(config.Clusters) == 0 && len(config.Contexts) == 0 &&
		config.CurrentContext == "" && len(config.Extensions) == 0 &&
		!config.Preferences.Colors && len(config.Preferences.Extensions) == 0
}

// MinifyConfig removes all contexts but the current one, and the clusters and users that it does not use. If it returns
// an error, nothing is changed.
func MinifyConfig(config *Config) error {
	if config.CurrentContext == "" {
		return errors.New("cannot minify a config without a current-context")
	}
	current := config.Contexts[config.CurrentContext]
	if current == nil {
		return fmt.Errorf("cannot minify: current-context %q does not exist", config.CurrentContext)
	}
	clusters, ok := only(config.Clusters, current.Cluster)
	if !ok {
		return fmt.Errorf("cannot minify: cluster %[2]q of context %[1]q does not exist", config.CurrentContext, current.Cluster)
	}
	users, ok := only(config.AuthInfos, current.AuthInfo)
	if !ok {
		return fmt.Errorf("cannot minify: user %[2]q of context %[1]q does not exist", config.CurrentContext, current.AuthInfo)
	}
	config.Contexts = map[string]*Context{config.CurrentContext: current}
	config.Clusters, config.AuthInfos = clusters, users
	return nil
}

// only returns a map with one entry of m, or an empty one for the empty name.
func only[V any](m map[string]*V, name string) (map[string]*V, bool) {
	if name == "" {
		return map[string]*V{}, true
	}
	v := m[name]
	return map[string]*V{name: v}, v != nil
}

// FlattenConfig replaces the paths of certificates and keys by the contents of the files. Relative paths are relative
// to the folder of the entry's LocationOfOrigin.
func FlattenConfig(config *Config) error {
	for name, user := range config.AuthInfos {
		if user == nil {
			continue
		}
		base, err := MakeAbs(filepath.Dir(user.LocationOfOrigin), "")
		if err == nil {
			err = FlattenContent(&user.ClientCertificate, &user.ClientCertificateData, base)
		}
		if err == nil {
			err = FlattenContent(&user.ClientKey, &user.ClientKeyData, base)
		}
		if err != nil {
			return fmt.Errorf("user %q: %w", name, err)
		}
	}
	for name, cluster := range config.Clusters {
		if cluster == nil {
			continue
		}
		base, err := MakeAbs(filepath.Dir(cluster.LocationOfOrigin), "")
		if err == nil {
			err = FlattenContent(&cluster.CertificateAuthority, &cluster.CertificateAuthorityData, base)
		}
		if err != nil {
			return fmt.Errorf("cluster %q: %w", name, err)
		}
	}
	return nil
}

// FlattenContent reads the file at *path into *contents, and empties *path.
func FlattenContent(path *string, contents *[]byte, baseDir string) error {
	if *path == "" {
		return nil
	}
	if len(*contents) > 0 {
		return fmt.Errorf("both the path %s and its contents are set; remove one of them", *path)
	}
	data, err := os.ReadFile(ResolvePath(*path, baseDir))
	if err != nil {
		return err
	}
	*path, *contents = "", data
	return nil
}

// ResolvePath resolves path against base. An absolute or empty path is not changed.
func ResolvePath(path string, base string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// MakeAbs resolves path against base, or against the working directory if base is empty.
func MakeAbs(path, base string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	if base == "" {
		return filepath.Abs(path)
	}
	return filepath.Join(base, path), nil
}
