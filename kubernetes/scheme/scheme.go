package scheme

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Scheme has all types. Add more before it is used, if at all: a scheme is not for writing and reading at the same time.
var Scheme = newScheme()

// Codecs encodes and decodes the types in Scheme.
var Codecs = serializer.NewCodecFactory(Scheme)

// ParameterCodec turns options into query parameters and back.
var ParameterCodec = runtime.NewParameterCodec(Scheme)

// AddToScheme adds all types to another scheme.
var AddToScheme = groups.AddToScheme

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	// Options have no group, but the version of the core group.
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	utilruntime.Must(groups.AddToScheme(s))
	return s
}
