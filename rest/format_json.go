package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/jsonread"
	"vedette.dev/internal/wire/jsonscan"
)

// jsonFormat is the format of JSON.
type jsonFormat struct{}

func (jsonFormat) name() string { return "JSON" }

func (jsonFormat) mediaType() string { return contentTypeJSON }

func (jsonFormat) streamType() string { return contentTypeJSON }

func (jsonFormat) untyped() bool { return true }

func (jsonFormat) items(body io.Reader, limit int, _ int64) itemReader {
	return jsonItems{jsonscan.NewListReader(body, limit)}
}

func (jsonFormat) frames(body io.Reader, limit int) frameReader {
	return jsonFrames{jsonscan.NewReader(body, limit)}
}

func (jsonFormat) listMeta(data []byte, into *metav1.ListMeta) error {
	return utiljson.Unmarshal(data, into)
}

func (jsonFormat) isObject(wire []byte) bool { return len(wire) > 0 && wire[0] == '{' }

func (jsonFormat) metadata(o *Raw) ([]byte, error) { return o.jsonMetadata() }

func (jsonFormat) identity(meta []byte) (Meta, string, error) {
	m, err := jsonMeta(meta)
	return m, m.Key() + string(m.UID) + m.ResourceVersion, err
}

func (jsonFormat) eachString(meta []byte, field metaField, add func(name, value []byte)) error {
	value, err := member(meta, stringMapNames[field])
	if err != nil || value == nil {
		return err
	}
	m := jsonscan.NewObject(value)
	for m.Next() {
		text, err := jsonscan.Text(m.Value)
		if err != nil {
			return metaError(err)
		}
		add(m.Name, []byte(text))
	}
	return metaError(m.Err)
}

func (jsonFormat) owners(meta []byte) ([]metav1.OwnerReference, error) { return jsonOwners(meta) }

func (jsonFormat) into(o *Raw, obj any) error {
	if u, ok := obj.(runtime.Unstructured); ok {
		content, err := jsonread.Decode(o.Bytes, nil)
		return o.intoUnstructured(u, content, err)
	}
	reset(obj)
	return utiljson.Unmarshal(o.Bytes, obj)
}

// reset drops previous content of obj.
func reset(obj any) {
	if resetter, ok := obj.(interface{ Reset() }); ok {
		resetter.Reset()
	}
}

// intoUnstructured also sets the kind, which the items of a list do not have.
func (o *Raw) intoUnstructured(u runtime.Unstructured, content map[string]any, err error) error {
	if err != nil {
		return err
	}
	if content == nil {
		return errors.New("object is null")
	}
	for field, value := range map[string]string{"apiVersion": o.APIVersion, "kind": o.Kind} {
		if content[field] == nil && value != "" {
			content[field] = value
		}
	}
	u.SetUnstructuredContent(content)
	return nil
}

type jsonItems struct{ *jsonscan.ListReader }

func (j jsonItems) header() (string, string, []byte) { return j.APIVersion, j.Kind, j.Meta }

type jsonFrames struct{ *jsonscan.Reader }

func (j jsonFrames) next() ([]byte, error) { return j.Value() }

// read parses the data returned by the reader.
func (j jsonFrames) read(data []byte, f *Frame) error {
	if name, at := usualEvent(data); at > 0 {
		if object := j.Tail(data, at); object != nil {
			*f = Frame{Type: eventType(name), Object: jsonRaw(object)}
			return f.check()
		}
	}
	return f.readJSON(data)
}

// usualEvent parses the beginning of an event as API servers write it, and returns its type and where its object
// begins: 0 if it is written in another way.
func usualEvent(data []byte) (name []byte, at int) {
	const head, middle, longest = `{"type":"`, `","object":`, 20
	if !bytes.HasPrefix(data, []byte(head)) {
		return nil, 0
	}
	rest := data[len(head):]
	n := bytes.IndexAny(rest[:min(len(rest), longest)], `"\`)
	if n < 0 || !bytes.HasPrefix(rest[n:], []byte(middle)) {
		return nil, 0
	}
	return rest[:n], len(head) + n + len(middle)
}

func (f *Frame) readJSON(data []byte) error {
	*f = Frame{}
	event := jsonscan.NewObject(data)
	for event.Next() {
		switch string(event.Name) {
		case "type":
			text, err := jsonscan.Text(event.Value)
			if err != nil {
				return err
			}
			f.Type = eventType([]byte(text))
		case "object":
			f.Object = jsonRaw(event.Value)
		}
	}
	return errors.Join(event.Err, f.check())
}

// jsonRaw returns an object in JSON, which has no envelope.
func jsonRaw(text []byte) Raw { return Raw{Encoding: JSON, Bytes: text, wire: text} }

// jsonMetadata also sets the kind of the object, if it is not known. It stops as soon as both are found: an API server
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

// member returns the value of a member of an object, or nil if it is missing or null.
func member(object []byte, name string) ([]byte, error) {
	m := jsonscan.NewObject(object)
	for m.Next() {
		if string(m.Name) == name {
			if string(m.Value) == "null" {
				return nil, nil
			}
			return m.Value, nil
		}
	}
	return nil, metaError(m.Err)
}

func jsonOwners(meta []byte) ([]metav1.OwnerReference, error) {
	value, err := member(meta, "ownerReferences")
	if err != nil || value == nil {
		return nil, err
	}
	var out []metav1.OwnerReference
	err = utiljson.Unmarshal(value, &out)
	return out, metaError(err)
}
