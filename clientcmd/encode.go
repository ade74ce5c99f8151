package clientcmd

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// Write returns the config as YAML, with sorted keys and entries, so that the output is deterministic. LocationOfOrigin
// is not written.
func Write(config clientcmdapi.Config) ([]byte, error) {
	disk := diskConfig{
		Kind:           "Config",
		APIVersion:     "v1",
		Preferences:    diskPreferences{Colors: config.Preferences.Colors},
		CurrentContext: config.CurrentContext,
	}
	var err error
	if disk.Preferences.Extensions, err = encodeExtensions(config.Preferences.Extensions); err != nil {
		return nil, fmt.Errorf("preferences: %w", err)
	}
	if disk.Clusters, err = encodeList("cluster", config.Clusters, encodeCluster); err != nil {
		return nil, err
	}
	if disk.Users, err = encodeList("user", config.AuthInfos, encodeUser); err != nil {
		return nil, err
	}
	if disk.Contexts, err = encodeList("context", config.Contexts, encodeContext); err != nil {
		return nil, err
	}
	if disk.Extensions, err = encodeExtensions(config.Extensions); err != nil {
		return nil, err
	}
	data, err := json.Marshal(disk)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(escape(data))
}

// escape escapes characters in JSON strings that YAML does not accept, or treats as a line break.
func escape(data []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(data) {
		if r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

// encodeList converts and encodes each entry.
func encodeList[V, D any](kind string, m map[string]*V, convert func(string, *V) (D, error)) ([]json.RawMessage, error) {
	var list []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] == nil {
			return nil, fmt.Errorf("%s %q is nil: delete it from the map instead", kind, name)
		}
		d, err := convert(name, m[name])
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", kind, name, err)
		}
		raw, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", kind, name, err)
		}
		list = append(list, raw)
	}
	return list, nil
}

func encodeCluster(name string, cluster *clientcmdapi.Cluster) (d namedCluster, err error) {
	d = namedCluster{Name: name, Cluster: diskCluster{Cluster: *cluster}}
	d.Cluster.CertificateAuthorityData = base64.StdEncoding.EncodeToString(cluster.CertificateAuthorityData)
	d.Cluster.Extensions, err = encodeExtensions(cluster.Extensions)
	return d, err
}

func encodeContext(name string, context *clientcmdapi.Context) (d namedContext, err error) {
	d = namedContext{Name: name, Context: diskContext{Context: *context}}
	d.Context.Extensions, err = encodeExtensions(context.Extensions)
	return d, err
}

func encodeUser(name string, u *clientcmdapi.AuthInfo) (d namedUser, err error) {
	d = namedUser{Name: name, User: diskUser{
		ClientCertificate:     u.ClientCertificate,
		ClientCertificateData: base64.StdEncoding.EncodeToString(u.ClientCertificateData),
		ClientKey:             u.ClientKey,
		ClientKeyData:         base64.StdEncoding.EncodeToString(u.ClientKeyData),
		Token:                 u.Token,
		TokenFile:             u.TokenFile,
		Impersonate:           u.Impersonate,
		ImpersonateUID:        u.ImpersonateUID,
		ImpersonateGroups:     u.ImpersonateGroups,
		ImpersonateUserExtra:  u.ImpersonateUserExtra,
		Username:              u.Username,
		Password:              u.Password,
		AuthProvider:          (*diskAuthProvider)(u.AuthProvider),
		Exec:                  u.Exec,
	}}
	d.User.Extensions, err = encodeExtensions(u.Extensions)
	return d, err
}

func encodeExtensions(extensions map[string]runtime.Object) ([]json.RawMessage, error) {
	var list []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(extensions)) {
		value, err := json.Marshal(extensions[name])
		if err != nil {
			return nil, fmt.Errorf("extension %q: %w", name, err)
		}
		raw, err := json.Marshal(namedExtension{Name: name, Extension: value})
		if err != nil {
			return nil, fmt.Errorf("extension %q: %w", name, err)
		}
		list = append(list, raw)
	}
	return list, nil
}
