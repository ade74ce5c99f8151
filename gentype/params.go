package gentype

import (
	"fmt"
	"net/url"

	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ParameterCodec turns options such as metav1.ListOptions into query parameters. It needs no scheme, since options have
// one form in all versions; kubernetes/scheme has one that can also read them back.
var ParameterCodec runtime.ParameterCodec = parameterCodec{}

type parameterCodec struct{}

func (parameterCodec) EncodeParameters(obj runtime.Object, _ schema.GroupVersion) (url.Values, error) {
	return queryparams.Convert(obj)
}

func (parameterCodec) DecodeParameters(_ url.Values, _ schema.GroupVersion, into runtime.Object) error {
	return fmt.Errorf("cannot read query parameters into %T: gentype.ParameterCodec only writes, use kubernetes/scheme", into)
}
