package v1

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/clientcmd/api"
)

// Convert_Slice_v1_NamedCluster_To_Map_string_To_Pointer_api_Cluster adds the entries of a list to a map. A name that is there twice is an error.
func Convert_Slice_v1_NamedCluster_To_Map_string_To_Pointer_api_Cluster(in *[]NamedCluster, out *map[string]*api.Cluster, s conversion.Scope) error {
	return toMap(*in, out, func(e *NamedCluster) (string, *api.Cluster, error) {
		to := api.NewCluster()
		return e.Name, to, Convert_v1_Cluster_To_api_Cluster(&e.Cluster, to, s)
	})
}

// Convert_Map_string_To_Pointer_api_Cluster_To_Slice_v1_NamedCluster appends the entries of a map to a list, in the order of their names.
func Convert_Map_string_To_Pointer_api_Cluster_To_Slice_v1_NamedCluster(in *map[string]*api.Cluster, out *[]NamedCluster, s conversion.Scope) error {
	return toList(*in, out, func(name string, from *api.Cluster) (e NamedCluster, err error) {
		if from == nil {
			return e, fmt.Errorf("cluster %q is nil: delete it from the map instead", name)
		}
		e.Name = name
		return e, Convert_api_Cluster_To_v1_Cluster(from, &e.Cluster, s)
	})
}

// Convert_Slice_v1_NamedAuthInfo_To_Map_string_To_Pointer_api_AuthInfo adds the entries of a list to a map. A name that is there twice is an error.
func Convert_Slice_v1_NamedAuthInfo_To_Map_string_To_Pointer_api_AuthInfo(in *[]NamedAuthInfo, out *map[string]*api.AuthInfo, s conversion.Scope) error {
	return toMap(*in, out, func(e *NamedAuthInfo) (string, *api.AuthInfo, error) {
		to := api.NewAuthInfo()
		return e.Name, to, Convert_v1_AuthInfo_To_api_AuthInfo(&e.AuthInfo, to, s)
	})
}

// Convert_Map_string_To_Pointer_api_AuthInfo_To_Slice_v1_NamedAuthInfo appends the entries of a map to a list, in the order of their names.
func Convert_Map_string_To_Pointer_api_AuthInfo_To_Slice_v1_NamedAuthInfo(in *map[string]*api.AuthInfo, out *[]NamedAuthInfo, s conversion.Scope) error {
	return toList(*in, out, func(name string, from *api.AuthInfo) (e NamedAuthInfo, err error) {
		if from == nil {
			return e, fmt.Errorf("user %q is nil: delete it from the map instead", name)
		}
		e.Name = name
		return e, Convert_api_AuthInfo_To_v1_AuthInfo(from, &e.AuthInfo, s)
	})
}

// Convert_Slice_v1_NamedContext_To_Map_string_To_Pointer_api_Context adds the entries of a list to a map. A name that is there twice is an error.
func Convert_Slice_v1_NamedContext_To_Map_string_To_Pointer_api_Context(in *[]NamedContext, out *map[string]*api.Context, s conversion.Scope) error {
	return toMap(*in, out, func(e *NamedContext) (string, *api.Context, error) {
		to := api.NewContext()
		return e.Name, to, Convert_v1_Context_To_api_Context(&e.Context, to, s)
	})
}

// Convert_Map_string_To_Pointer_api_Context_To_Slice_v1_NamedContext appends the entries of a map to a list, in the order of their names.
func Convert_Map_string_To_Pointer_api_Context_To_Slice_v1_NamedContext(in *map[string]*api.Context, out *[]NamedContext, s conversion.Scope) error {
	return toList(*in, out, func(name string, from *api.Context) (e NamedContext, err error) {
		if from == nil {
			return e, fmt.Errorf("context %q is nil: delete it from the map instead", name)
		}
		e.Name = name
		return e, Convert_api_Context_To_v1_Context(from, &e.Context, s)
	})
}

// Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object adds the extensions of a list to a map, undecoded. A name
// that is there twice is an error.
func Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(in *[]NamedExtension, out *map[string]runtime.Object, s conversion.Scope) error {
	return toMap(*in, out, func(e *NamedExtension) (name string, to runtime.Object, err error) {
		err = runtime.Convert_runtime_RawExtension_To_runtime_Object(&e.Extension, &to, s)
		return e.Name, to, err
	})
}

// Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension appends the extensions of a map to a list, in the order of
// their names.
func Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(in *map[string]runtime.Object, out *[]NamedExtension, s conversion.Scope) error {
	return toList(*in, out, func(name string, from runtime.Object) (NamedExtension, error) {
		e := NamedExtension{Name: name}
		return e, runtime.Convert_runtime_Object_To_runtime_RawExtension(&from, &e.Extension, s)
	})
}

func toMap[E, V any](list []E, out *map[string]V, convert func(*E) (string, V, error)) error {
	for i := range list {
		name, v, err := convert(&list[i])
		if err != nil {
			return err
		}
		if _, twice := (*out)[name]; twice {
			return fmt.Errorf("duplicate name %q in a list of %T", name, list[i])
		}
		if *out == nil {
			*out = map[string]V{}
		}
		(*out)[name] = v
	}
	return nil
}

func toList[E, V any](m map[string]V, out *[]E, convert func(string, V) (E, error)) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		e, err := convert(name, m[name])
		if err != nil {
			return err
		}
		*out = append(*out, e)
	}
	return nil
}
