package rest

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Meta identifies an object and its revision. Its strings are copies: it can be kept longer than the Raw.
type Meta struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	Generation      int64
}

// Key returns namespace/name, or the name alone without a namespace.
func (m Meta) Key() string {
	if m.Namespace == "" {
		return m.Name
	}
	return m.Namespace + "/" + m.Name
}

// Meta decodes the identity of the object, and nothing else.
func (o *Raw) Meta() (Meta, error) {
	if o.identified {
		return o.identity, nil
	}
	meta, err := o.metadata()
	if err != nil {
		return Meta{}, err
	}
	if o.identity, o.text, err = o.Encoding.format().identity(meta); err != nil {
		o.identity, o.text = Meta{}, ""
	}
	o.identified = err == nil
	return o.identity, err
}

// Key returns the Key of Meta, computed once.
func (o *Raw) Key() (string, error) {
	text, err := o.IdentityText()
	return text[:len(text)-len(o.identity.UID)-len(o.identity.ResourceVersion)], err
}

// IdentityText returns the key, the UID and the resource version, concatenated into one string, which takes less
// memory.
func (o *Raw) IdentityText() (string, error) {
	if _, err := o.Meta(); err != nil {
		return "", err
	}
	return o.text, nil
}

// Labels decodes the labels of the object.
func (o *Raw) Labels() (map[string]string, error) { return o.stringMap(labelsField) }

// Annotations decodes the annotations of the object.
func (o *Raw) Annotations() (map[string]string, error) {
	return o.stringMap(annotationsField)
}

// Owners decodes the owner references of the object.
func (o *Raw) Owners() ([]metav1.OwnerReference, error) {
	meta, err := o.metadata()
	if err != nil {
		return nil, err
	}
	return o.Encoding.format().owners(meta)
}

// Controller decodes the owner reference of the controller, or returns nil.
func (o *Raw) Controller() (*metav1.OwnerReference, error) {
	owners, err := o.Owners()
	for i := range owners {
		if owners[i].Controller != nil && *owners[i].Controller {
			return &owners[i], err
		}
	}
	return nil, err
}

// EachLabel calls add with each label of the object, in the order of the bytes. Both are valid until add returns. If a
// name comes twice, the last one counts.
func (o *Raw) EachLabel(add func(name, value []byte)) error { return o.eachString(labelsField, add) }

// stringMap decodes the labels or the annotations.
func (o *Raw) stringMap(field metaField) (map[string]string, error) {
	var out map[string]string
	err := o.eachString(field, func(name, value []byte) {
		if out == nil {
			out = map[string]string{}
		}
		out[string(name)] = string(value)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (o *Raw) eachString(field metaField, add func(name, value []byte)) error {
	meta, err := o.metadata()
	if err != nil {
		return err
	}
	return o.Encoding.format().eachString(meta, field, add)
}

// metadata finds the metadata in the object, once.
func (o *Raw) metadata() ([]byte, error) {
	if o.meta != nil {
		return o.meta, nil
	}
	var err error
	o.meta, err = o.Encoding.format().metadata(o)
	return o.meta, err
}

// newMeta copies all strings with one allocation.
func newMeta(namespace, name, uid, version []byte) (m Meta, text string) {
	var b strings.Builder
	b.Grow(len(namespace) + len("/") + len(name) + len(uid) + len(version))
	own := func(part []byte) string {
		begin := b.Len()
		b.Write(part)
		return b.String()[begin:]
	}
	m.Namespace = own(namespace)
	if len(namespace) > 0 {
		b.WriteByte('/')
	}
	m.Name = own(name)
	m.UID, m.ResourceVersion = types.UID(own(uid)), own(version)
	return m, b.String()
}

func metaError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata: %w", err)
}
