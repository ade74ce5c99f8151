package api

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the version of Config in AddToScheme: the internal one, since this is not the on-disk format.
var SchemeGroupVersion = schema.GroupVersion{Version: runtime.APIVersionInternal}

var (
	// SchemeBuilder and AddToScheme add Config to a scheme. Package clientcmd does not need it.
	SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		s.AddKnownTypes(SchemeGroupVersion, &Config{})
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)

// GetObjectKind implements runtime.Object.
func (in *Config) GetObjectKind() schema.ObjectKind { return in }

// SetGroupVersionKind sets APIVersion and Kind.
func (in *Config) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	in.APIVersion, in.Kind = gvk.ToAPIVersionAndKind()
}

// GroupVersionKind returns APIVersion and Kind.
func (in *Config) GroupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(in.APIVersion, in.Kind)
}
