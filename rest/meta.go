package rest

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/wire/jsonscan"
	"vedette.dev/internal/wire/protoscan"
)

// Meta is what identifies an object and its state. Its strings are its own: it can be kept when the Raw is gone.
type Meta struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	Generation      int64
}

// Key is namespace/name, or the name alone where there is no namespace.
func (m Meta) Key() string {
	if m.Namespace == "" {
		return m.Name
	}
	return m.Namespace + "/" + m.Name
}

// The numbers of the fields in an ObjectMeta. Every kind has its ObjectMeta in field 1.
const (
	protoObjectMeta = 1

	protoName            = 1
	protoNamespace       = 3
	protoUID             = 5
	protoResourceVersion = 6
	protoGeneration      = 7
	protoLabels          = 11
	protoAnnotations     = 12
	protoOwners          = 13
)

// Meta reads the identity of the object, and nothing else of it.
func (o *Raw) Meta() (Meta, error) {
	if o.identified {
		return o.identity, nil
	}
	meta, err := o.metadata()
	if err != nil {
		return Meta{}, err
	}
	if o.Encoding == Protobuf {
		o.identity, o.text, err = protoMeta(meta)
	} else {
		o.identity, err = jsonMeta(meta)
		o.text = o.identity.Key() + string(o.identity.UID) + o.identity.ResourceVersion
	}
	if err != nil {
		o.identity, o.text = Meta{}, ""
	}
	o.identified = err == nil
	return o.identity, err
}

// Key is the Key of Meta, made once.
func (o *Raw) Key() (string, error) {
	text, err := o.IdentityText()
	return text[:len(text)-len(o.identity.UID)-len(o.identity.ResourceVersion)], err
}

// IdentityText is the key, the UID and the resource version, one behind the other, for those who keep many of them.
func (o *Raw) IdentityText() (string, error) {
	if _, err := o.Meta(); err != nil {
		return "", err
	}
	return o.text, nil
}

// Labels reads the labels of the object.
func (o *Raw) Labels() (map[string]string, error) { return o.stringMap(protoLabels, "labels") }

// Annotations reads the annotations of the object.
func (o *Raw) Annotations() (map[string]string, error) {
	return o.stringMap(protoAnnotations, "annotations")
}

// Owners reads the owner references of the object.
func (o *Raw) Owners() ([]metav1.OwnerReference, error) {
	meta, err := o.metadata()
	if err != nil {
		return nil, err
	}
	if o.Encoding == Protobuf {
		return protoOwnersOf(meta)
	}
	return jsonOwners(meta)
}

// Controller reads the owner reference that says controller, or returns nil.
func (o *Raw) Controller() (*metav1.OwnerReference, error) {
	owners, err := o.Owners()
	for i := range owners {
		if owners[i].Controller != nil && *owners[i].Controller {
			return &owners[i], err
		}
	}
	return nil, err
}

// metadata finds the metadata in the object, once.
func (o *Raw) metadata() ([]byte, error) {
	if o.meta != nil {
		return o.meta, nil
	}
	var err error
	if o.Encoding == Protobuf {
		o.meta, err = protoMetadata(o.Bytes)
	} else {
		o.meta, err = o.jsonMetadata()
	}
	return o.meta, err
}

func protoMetadata(object []byte) ([]byte, error) {
	m := protoscan.NewMessage(object)
	for m.Next() {
		if m.Number == protoObjectMeta && m.Bytes != nil {
			return m.Bytes, nil
		}
	}
	if m.Err != nil {
		return nil, fmt.Errorf("metadata: %w", m.Err)
	}
	return []byte{}, nil
}

// jsonMetadata also learns what the object is, if nobody has said it. It stops as soon as all is known: an API server
// writes the metadata before the much longer rest.
func (o *Raw) jsonMetadata() ([]byte, error) {
	var meta []byte
	members := jsonscan.NewObject(o.Bytes)
	for (meta == nil || o.Kind == "" || o.APIVersion == "") && members.Next() {
		var err error
		switch string(members.Name) {
		case "metadata":
			meta = members.Value
		case "kind":
			o.Kind, err = jsonscan.Text(members.Value)
		case "apiVersion":
			o.APIVersion, err = jsonscan.Text(members.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", members.Name, err)
		}
	}
	if members.Err != nil {
		return nil, fmt.Errorf("metadata: %w", members.Err)
	}
	if meta == nil || string(meta) == "null" {
		meta = []byte("{}")
	}
	return meta, nil
}

// protoMeta also returns the text of IdentityText.
func protoMeta(meta []byte) (Meta, string, error) {
	var name, namespace, uid, version []byte
	var generation int64
	m := protoscan.NewMessage(meta)
	for m.Next() {
		switch m.Number {
		case protoName:
			name = m.Bytes
		case protoNamespace:
			namespace = m.Bytes
		case protoUID:
			uid = m.Bytes
		case protoResourceVersion:
			version = m.Bytes
		case protoGeneration:
			generation = int64(m.Varint)
		}
	}
	out, text := newMeta(namespace, name, uid, version)
	out.Generation = generation
	return out, text, metaError(m.Err)
}

// newMeta copies all strings at once, behind one another.
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

func jsonMeta(meta []byte) (Meta, error) {
	var out Meta
	var uid string
	m := jsonscan.NewObject(meta)
	for m.Next() {
		var err error
		switch string(m.Name) {
		case "name":
			out.Name, err = jsonscan.Text(m.Value)
		case "namespace":
			out.Namespace, err = jsonscan.Text(m.Value)
		case "uid":
			uid, err = jsonscan.Text(m.Value)
		case "resourceVersion":
			out.ResourceVersion, err = jsonscan.Text(m.Value)
		case "generation":
			out.Generation, err = jsonInt(m.Value)
		}
		if err != nil {
			return Meta{}, metaError(fmt.Errorf("%s: %w", m.Name, err))
		}
	}
	out.UID = types.UID(uid)
	return out, metaError(m.Err)
}

func jsonInt(value []byte) (int64, error) {
	if string(value) == "null" {
		return 0, nil
	}
	return strconv.ParseInt(string(value), 10, 64)
}

func metaError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata: %w", err)
}
