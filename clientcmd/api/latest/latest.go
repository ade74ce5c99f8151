// Package latest has the codec of kubeconfigs: YAML of the types of clientcmd/api/v1, decoded into those of clientcmd/api.
//
// Load and Write of package clientcmd do the same with better errors, and without a scheme.
package latest

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"vedette.dev/clientcmd/api"
	"vedette.dev/clientcmd/api/v1"
)

const (
	// Version is the version that is written.
	Version = "v1"
	// OldestVersion is the oldest version that can be read.
	OldestVersion = "v1"
)

var (
	// ExternalVersion is Version as a GroupVersion.
	ExternalVersion = schema.GroupVersion{Version: Version}
	// Versions are the versions that can be read.
	Versions = []string{Version}

	// Scheme has the types of clientcmd/api and clientcmd/api/v1.
	Scheme = newScheme()
	// Codec reads and writes a *api.Config.
	Codec = newCodec()
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(api.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	return scheme
}

func newCodec() runtime.Codec {
	yaml := json.NewSerializerWithOptions(json.DefaultMetaFactory, Scheme, Scheme, json.SerializerOptions{Yaml: true})
	return versioning.NewDefaultingCodecForScheme(Scheme, yaml, yaml, ExternalVersion, runtime.InternalGroupVersioner)
}
