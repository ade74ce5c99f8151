package clientcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// ResolveLocalPaths makes the relative paths of a config absolute. They are relative to the folder of the file an entry
// came from; those of entries without a file are not changed.
func ResolveLocalPaths(config *clientcmdapi.Config) error {
	for _, cluster := range config.Clusters {
		if cluster == nil {
			continue
		}
		if err := resolveFrom(cluster.LocationOfOrigin, GetClusterFileReferences(cluster)); err != nil {
			return err
		}
	}
	for _, user := range config.AuthInfos {
		if user == nil {
			continue
		}
		if err := resolveFrom(user.LocationOfOrigin, GetAuthInfoFileReferences(user)); err != nil {
			return err
		}
	}
	return nil
}

func resolveFrom(origin string, refs []*string) error {
	if origin == "" {
		return nil
	}
	base, err := folderOf(origin)
	if err != nil {
		return err
	}
	return ResolvePaths(refs, base)
}

func folderOf(file string) (string, error) {
	base, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", fmt.Errorf("could not determine the absolute path of config file %s: %w", file, err)
	}
	return base, nil
}

// RelativizeClusterLocalPaths makes the paths of a cluster relative to the file it came from, where that needs no "..".
func RelativizeClusterLocalPaths(cluster *clientcmdapi.Cluster) error {
	if cluster.LocationOfOrigin == "" {
		return fmt.Errorf("no location of origin for %v", cluster)
	}
	return relativizeFrom(cluster.LocationOfOrigin, GetClusterFileReferences(cluster))
}

// RelativizeAuthInfoLocalPaths makes the paths of a user relative to the file it came from, where that needs no "..".
func RelativizeAuthInfoLocalPaths(authInfo *clientcmdapi.AuthInfo) error {
	if authInfo.LocationOfOrigin == "" {
		return fmt.Errorf("no location of origin for %v", authInfo)
	}
	return relativizeFrom(authInfo.LocationOfOrigin, GetAuthInfoFileReferences(authInfo))
}

func relativizeFrom(origin string, refs []*string) error {
	base, err := folderOf(origin)
	if err != nil {
		return err
	}
	if err := ResolvePaths(refs, base); err != nil {
		return err
	}
	return RelativizePathWithNoBacksteps(refs, base)
}

// RelativizeConfigPaths makes all paths of a config relative to base, where that needs no "..".
func RelativizeConfigPaths(config *clientcmdapi.Config, base string) error {
	return RelativizePathWithNoBacksteps(GetConfigFileReferences(config), base)
}

// ResolveConfigPaths resolves all relative paths of a config against base.
func ResolveConfigPaths(config *clientcmdapi.Config, base string) error {
	return ResolvePaths(GetConfigFileReferences(config), base)
}

// GetConfigFileReferences returns pointers to the paths of a config.
func GetConfigFileReferences(config *clientcmdapi.Config) []*string {
	refs := []*string{}
	for _, cluster := range config.Clusters {
		refs = append(refs, GetClusterFileReferences(cluster)...)
	}
	for _, user := range config.AuthInfos {
		refs = append(refs, GetAuthInfoFileReferences(user)...)
	}
	return refs
}

// GetClusterFileReferences returns pointers to the paths of a cluster.
func GetClusterFileReferences(cluster *clientcmdapi.Cluster) []*string {
	if cluster == nil {
		return nil
	}
	return []*string{&cluster.CertificateAuthority}
}

// GetAuthInfoFileReferences returns pointers to the paths of a user. The command of an exec plugin is a path only if it
// contains a separator; otherwise it is looked up in PATH.
func GetAuthInfoFileReferences(authInfo *clientcmdapi.AuthInfo) []*string {
	if authInfo == nil {
		return nil
	}
	refs := []*string{&authInfo.ClientCertificate, &authInfo.ClientKey, &authInfo.TokenFile}
	if authInfo.Exec != nil && strings.ContainsRune(authInfo.Exec.Command, filepath.Separator) {
		refs = append(refs, &authInfo.Exec.Command)
	}
	return refs
}

// ResolvePaths resolves the relative paths among refs against base. The error is always nil.
func ResolvePaths(refs []*string, base string) error {
	for _, ref := range refs {
		*ref = clientcmdapi.ResolvePath(*ref, base)
	}
	return nil
}

// RelativizePathWithNoBacksteps makes paths relative to base. An absolute path that would need ".." is not changed; a
// relative one is an error.
func RelativizePathWithNoBacksteps(refs []*string, base string) error {
	for _, ref := range refs {
		rel, err := MakeRelative(*ref, base)
		if err != nil {
			return err
		}
		if rel != ".." && !strings.HasPrefix(rel, "../") && !strings.HasPrefix(rel, ".."+string(os.PathSeparator)) {
			*ref = rel
		} else if !filepath.IsAbs(*ref) {
			return fmt.Errorf("%v requires backsteps and is not absolute", *ref)
		}
	}
	return nil
}

// MakeRelative returns path relative to base. An empty path stays empty.
func MakeRelative(path, base string) (string, error) {
	if path == "" {
		return "", nil
	}
	rel, err := filepath.Rel(base, path)
	if err != nil {
		return path, err
	}
	return rel, nil
}
