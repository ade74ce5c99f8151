package clientcmd

import (
	"fmt"
	"reflect"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// entryKind has the operations of ModifyConfig for clusters, users or contexts.
type entryKind[V any] struct {
	of         func(*clientcmdapi.Config) *map[string]*V
	origin     func(*V) *string
	copy       func(*V) *V
	relativize func(*V) error
}

var (
	clusterEntries = entryKind[clientcmdapi.Cluster]{
		of:         func(c *clientcmdapi.Config) *map[string]*clientcmdapi.Cluster { return &c.Clusters },
		origin:     func(v *clientcmdapi.Cluster) *string { return &v.LocationOfOrigin },
		copy:       (*clientcmdapi.Cluster).DeepCopy,
		relativize: RelativizeClusterLocalPaths,
	}
	userEntries = entryKind[clientcmdapi.AuthInfo]{
		of:         func(c *clientcmdapi.Config) *map[string]*clientcmdapi.AuthInfo { return &c.AuthInfos },
		origin:     func(v *clientcmdapi.AuthInfo) *string { return &v.LocationOfOrigin },
		copy:       (*clientcmdapi.AuthInfo).DeepCopy,
		relativize: RelativizeAuthInfoLocalPaths,
	}
	contextEntries = entryKind[clientcmdapi.Context]{
		of:         func(c *clientcmdapi.Config) *map[string]*clientcmdapi.Context { return &c.Contexts },
		origin:     func(v *clientcmdapi.Context) *string { return &v.LocationOfOrigin },
		copy:       (*clientcmdapi.Context).DeepCopy,
		relativize: func(*clientcmdapi.Context) error { return nil },
	}
)

// modifyEntries writes new and changed entries into the files, and deletes removed ones.
func modifyEntries[V any](m *modification, kind string, old, want map[string]*V, is entryKind[V]) error {
	fileOf := func(v *V) string {
		if origin := *is.origin(v); origin != "" {
			return origin
		}
		return m.access.GetDefaultFilename()
	}
	for name, v := range want {
		if v == nil {
			return fmt.Errorf("%s %q is nil: delete it from the map instead", kind, name)
		}
		if reflect.DeepEqual(old[name], v) {
			continue
		}
		file := fileOf(v)
		config, err := m.edit(file)
		if err != nil {
			return err
		}
		v = is.copy(v)
		*is.origin(v) = file
		if m.relativize {
			if err := is.relativize(v); err != nil {
				return fmt.Errorf("%s %q: %w", kind, name, err)
			}
		}
		put(is.of(config), name, v)
	}
	for name, v := range old {
		if _, kept := want[name]; kept || v == nil {
			continue
		}
		config, err := m.edit(fileOf(v))
		if err != nil {
			return err
		}
		delete(*is.of(config), name)
	}
	return nil
}
