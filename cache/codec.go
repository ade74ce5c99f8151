package cache

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/protoread"
	"vedette.dev/rest"
)

// codec is how an informer makes of bytes what it stores. All its reflectors have the same one.
type codec struct {
	// alter says that a transform changes what was decoded, so that no two objects may have a part in common.
	alter bool

	once   sync.Once
	plan   *protoread.Plan // nil if the type has none
	shares *protoread.Shares
}

// prepare finds out about the type.
func (c *codec) prepare(newObject func() any) {
	c.once.Do(func() {
		plan, err := protoread.Compile(newObject())
		if err != nil {
			return
		}
		c.plan, c.shares = plan, plan.NewShares(!c.alter)
	})
}

// decode reads an object of the type that newObject makes.
func (c *codec) decode(raw *rest.Raw, newObject func() any) (any, error) {
	if raw.Encoding != rest.Protobuf {
		return decodePlainly(raw, newObject)
	}
	c.prepare(newObject)
	if c.plan == nil {
		return decodePlainly(raw, newObject)
	}
	obj, err := c.plan.Decode(raw.Bytes, c.shares)
	if err != nil {
		return decodePlainly(raw, newObject) // whose error says more
	}
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
		o.APIVersion, o.Kind = raw.APIVersion, raw.Kind
	}
	return obj, nil
}

// decodePlainly reads an object that has nothing in common with others.
func decodePlainly(raw *rest.Raw, newObject func() any) (any, error) {
	obj := newObject()
	if err := readInto(raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}
