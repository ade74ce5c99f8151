package api

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is where AddToScheme puts Config: the internal version, since this is not the form on disk.
var SchemeGroupVersion = schema.GroupVersion{Version: runtime.APIVersionInternal}

var (
	// SchemeBuilder and AddToScheme make Config known to a scheme. Package clientcmd has no need of it.
	SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		s.AddKnownTypes(SchemeGroupVersion, &Config{})
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)

// GetObjectKind makes Config a runtime.Object.
func (in *Config) GetObjectKind() schema.ObjectKind { return in }

// SetGroupVersionKind sets APIVersion and Kind.
func (in *Config) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	in.APIVersion, in.Kind = gvk.ToAPIVersionAndKind()
}

// GroupVersionKind returns APIVersion and Kind.
func (in *Config) GroupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(in.APIVersion, in.Kind)
}
