package codec

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/wire/protoread"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// protobufFormat is the format of protobuf.
type protobufFormat struct {
	codec  *Codec
	plan   *protoread.Plan   // nil if the type has none
	shares *protoread.Shares // nil if objects are packed
}

func newProtobufFormat(c *Codec, parts bool) *protobufFormat {
	f := &protobufFormat{codec: c}
	f.plan, _ = protoread.Compile(c.newObject()) // else the type is decoded in its own way
	if f.plan != nil && c.packing == nil {
		f.shares = f.plan.NewShares(protoread.Sharing{Parts: parts, Mutable: c.mutable()})
	}
	return f
}

func (f *protobufFormat) filter(by *wirefilter.Filter, dst, src []byte) ([]byte, error) {
	return by.Protobuf(dst, src)
}

func (f *protobufFormat) next(raw *rest.Raw, last any) (any, error) {
	if f.plan == nil {
		return f.codec.plain(raw)
	}
	obj, err := f.plan.DecodeNext(raw.Bytes, f.shares, last)
	return f.decoded(raw, obj, err)
}

func (f *protobufFormat) decode(raw *rest.Raw) (any, error) {
	if f.plan == nil {
		return f.codec.decode(raw)
	}
	obj, err := f.plan.Decode(raw.Bytes, nil)
	return f.decoded(raw, obj, err)
}

// decoded returns what comes of an object that was read by plan.
func (f *protobufFormat) decoded(raw *rest.Raw, obj any, err error) (any, error) {
	if err != nil {
		return f.codec.decode(raw) // whose error says more
	}
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
		o.TypeMeta = f.codec.metadataType(raw)
	}
	return obj, nil
}

func (f *protobufFormat) atRest(dst, data []byte) ([]byte, bool) {
	return append(dst, data...), f.plan != nil && f.plan.Check(data)
}

func (f *protobufFormat) holds(raw *rest.Raw, stored any) bool {
	return f.plan != nil && f.plan.Same(stored, raw.Bytes) && f.codec.isNamed(raw, stored)
}

// isNamed reports whether an object has the apiVersion and kind that decoding gives it.
func (c *Codec) isNamed(raw *rest.Raw, obj any) bool {
	o, ok := obj.(runtime.Object)
	if !ok {
		return false
	}
	apiVersion, kind := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if _, ok := obj.(*metav1.PartialObjectMetadata); ok {
		want := c.metadataType(raw)
		return apiVersion == want.APIVersion && kind == want.Kind
	}
	return apiVersion == "" && kind == ""
}

func (f *protobufFormat) forget() { f.shares.Forget() }
