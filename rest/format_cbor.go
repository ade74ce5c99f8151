package rest

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/wire/cborread"
	"vedette.dev/internal/wire/cborscan"
)

// cborFormat is the format of CBOR.
type cborFormat struct{}

func (cborFormat) name() string { return "CBOR" }

func (cborFormat) mediaType() string { return contentTypeCBOR }

func (cborFormat) streamType() string { return runtime.ContentTypeCBORSequence }

func (cborFormat) untyped() bool { return true }

func (cborFormat) items(body io.Reader, limit int, most int64) itemReader {
	return cborItems{cborscan.NewListReader(body, limit, most)}
}

func (cborFormat) frames(body io.Reader, limit int) frameReader {
	return cborFrames{cborscan.NewReader(body, limit)}
}

func (cborFormat) listMeta(data []byte, into *metav1.ListMeta) error {
	return cborread.Into(data, into)
}

func (cborFormat) isObject(wire []byte) bool { return cborscan.IsMap(wire) }

func (cborFormat) metadata(o *Raw) ([]byte, error) { return o.cborMetadata() }

func (cborFormat) identity(meta []byte) (Meta, string, error) { return cborMeta(meta) }

func (cborFormat) eachString(meta []byte, field metaField, add func(name, value []byte)) error {
	value, err := cborMember(meta, stringMapNames[field])
	if err != nil || value == nil {
		return err
	}
	m := cborscan.NewMap(value)
	for m.Next() {
		text, err := cborscan.Text(m.Value)
		if err != nil {
			return metaError(err)
		}
		add(m.Name, text)
	}
	return metaError(m.Err)
}

func (cborFormat) owners(meta []byte) ([]metav1.OwnerReference, error) {
	value, err := cborMember(meta, "ownerReferences")
	if err != nil || value == nil {
		return nil, err
	}
	var out []metav1.OwnerReference
	list := cborscan.NewArray(value)
	for list.Next() {
		owner, err := cborOwner(list.Value)
		if err != nil {
			return nil, metaError(err)
		}
		out = append(out, owner)
	}
	return out, metaError(list.Err)
}

func (cborFormat) into(o *Raw, obj any) error {
	if u, ok := obj.(runtime.Unstructured); ok {
		content, err := cborread.Map(o.Bytes)
		return o.intoUnstructured(u, content, err)
	}
	reset(obj)
	return cborread.Into(o.Bytes, obj)
}

type cborItems struct{ *cborscan.ListReader }

func (c cborItems) Next() ([]byte, error) {
	item, err := c.ListReader.Next()
	return cborscan.Bare(item), err
}

func (c cborItems) header() (string, string, []byte) { return c.APIVersion, c.Kind, c.Meta }

type cborFrames struct{ *cborscan.Reader }

func (c cborFrames) next() ([]byte, error) { return c.Value() }

// read parses an event, whose two entries come in any order.
func (c cborFrames) read(data []byte, f *Frame) error {
	*f = Frame{Object: Raw{Encoding: CBOR}}
	event := cborscan.NewMap(data)
	for event.Next() {
		switch string(event.Name) {
		case "type":
			text, err := cborscan.Text(event.Value)
			if err != nil {
				return err
			}
			f.Type = eventType(text)
		case "object":
			f.Object = Raw{Encoding: CBOR, Bytes: cborscan.Bare(event.Value), wire: event.Value}
		}
	}
	if event.Err != nil {
		return event.Err
	}
	return f.check()
}

// cborMetadata also sets the kind of the object, if it is not known. A server writes the entries in random order.
func (o *Raw) cborMetadata() ([]byte, error) {
	var meta []byte
	m := cborscan.NewMap(o.Bytes)
	for (meta == nil || o.Kind == "" || o.APIVersion == "") && m.Next() {
		var text []byte
		var err error
		switch string(m.Name) {
		case "metadata":
			meta = m.Value
		case "kind":
			text, err = cborscan.Text(m.Value)
			o.Kind = string(text)
		case "apiVersion":
			text, err = cborscan.Text(m.Value)
			o.APIVersion = string(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	if m.Err != nil {
		return nil, metaError(m.Err)
	}
	if meta == nil || cborscan.IsNull(meta) {
		const emptyMap = 0xa0
		meta = []byte{emptyMap}
	}
	return meta, nil
}

// cborMeta also returns the text of IdentityText.
func cborMeta(meta []byte) (Meta, string, error) {
	var name, namespace, uid, version []byte
	var generation int64
	m := cborscan.NewMap(meta)
	for m.Next() {
		var err error
		switch string(m.Name) {
		case "name":
			name, err = cborscan.Text(m.Value)
		case "namespace":
			namespace, err = cborscan.Text(m.Value)
		case "uid":
			uid, err = cborscan.Text(m.Value)
		case "resourceVersion":
			version, err = cborscan.Text(m.Value)
		case "generation":
			generation, err = cborscan.Int(m.Value)
		}
		if err != nil {
			return Meta{}, "", metaError(fmt.Errorf("%s: %w", m.Name, err))
		}
	}
	out, text := newMeta(namespace, name, uid, version)
	out.Generation = generation
	return out, text, metaError(m.Err)
}

// cborMember returns the value of an entry of a map, or nil if it is missing or null.
func cborMember(object []byte, name string) ([]byte, error) {
	m := cborscan.NewMap(object)
	for m.Next() {
		if string(m.Name) == name {
			if cborscan.IsNull(m.Value) {
				return nil, nil
			}
			return m.Value, nil
		}
	}
	return nil, metaError(m.Err)
}

func cborOwner(data []byte) (owner metav1.OwnerReference, err error) {
	m := cborscan.NewMap(data)
	for m.Next() {
		var text []byte
		var flag *bool
		switch string(m.Name) {
		case "controller", "blockOwnerDeletion":
			if !cborscan.IsNull(m.Value) {
				flag = new(bool)
				*flag, err = cborscan.Bool(m.Value)
			}
		case "apiVersion", "kind", "name", "uid":
			text, err = cborscan.Text(m.Value)
		}
		if err != nil {
			return owner, fmt.Errorf("%s: %w", m.Name, err)
		}
		switch string(m.Name) {
		case "apiVersion":
			owner.APIVersion = string(text)
		case "kind":
			owner.Kind = string(text)
		case "name":
			owner.Name = string(text)
		case "uid":
			owner.UID = types.UID(text)
		case "controller":
			owner.Controller = flag
		case "blockOwnerDeletion":
			owner.BlockOwnerDeletion = flag
		}
	}
	return owner, m.Err
}
