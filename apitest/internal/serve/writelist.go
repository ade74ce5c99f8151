package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// writeList writes a list. Items are encoded one at a time: a list of all pods is too large to be held twice.
func (v *view) writeList(w http.ResponseWriter, r *http.Request, items []runtime.Object, list metav1.ListMeta) error {
	gvk := v.kind.GroupVersion().WithKind(v.kind.Kind + "List")
	if v.as != "" {
		gvk = schema.GroupVersionKind{Group: "meta.k8s.io", Version: v.asVersion, Kind: v.as}
	}
	if v.media == mediaProtobuf {
		return v.writeProtobuf(w, r, items, list, gvk)
	}
	if v.media == mediaCBOR {
		return v.writeCBOR(w, r, items, list, gvk)
	}
	if !v.pretty && v.media == mediaJSON {
		body := newResponse(w, r, http.StatusOK, v.media)
		if err := v.writeJSON(body, items, list, gvk); err != nil {
			return err
		}
		return body.Close()
	}
	var whole writer
	if err := v.writeJSON(&whole, items, list, gvk); err != nil {
		return err
	}
	data := indent(whole)
	if v.media == mediaYAML {
		var err error
		if data, err = yaml.JSONToYAML(whole); err != nil {
			return err
		}
	}
	body := newResponse(w, r, http.StatusOK, v.media)
	_, _ = body.Write(data)
	return body.Close()
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

func (v *view) writeJSON(w io.Writer, items []runtime.Object, list metav1.ListMeta, gvk schema.GroupVersionKind) error {
	metadata, err := json.Marshal(list)
	if err != nil {
		return err
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	if v.kind.Custom && v.as == "" { // those are maps, whose keys are sorted
		_, err = fmt.Fprintf(w, `{"apiVersion":%q,"items":[`, apiVersion)
	} else {
		_, err = fmt.Fprintf(w, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, kind, apiVersion, metadata)
	}
	for i, item := range items {
		if err != nil {
			return err
		}
		shown, convErr := v.object(item)
		if convErr != nil {
			return convErr
		}
		data, encodeErr := toJSON(shown)
		if encodeErr != nil {
			return encodeErr
		}
		if i > 0 {
			_, _ = w.Write([]byte(","))
		}
		_, err = w.Write(data)
	}
	if err != nil {
		return err
	}
	if v.kind.Custom && v.as == "" {
		_, err = fmt.Fprintf(w, `],"kind":%q,"metadata":%s}`+"\n", kind, metadata)
	} else {
		_, err = io.WriteString(w, "]}\n")
	}
	return err
}

// protoMessage is implemented by the generated types of k8s.io/api.
type protoMessage interface {
	Size() int
	Marshal() ([]byte, error)
}

// writeProtobuf writes the output of the protobuf serializer without a list object: lists have their metadata in field
// 1 and the items in field 2, and are in field 2 of an envelope, whose field 1 is the kind.
func (v *view) writeProtobuf(w http.ResponseWriter, r *http.Request, items []runtime.Object, list metav1.ListMeta, gvk schema.GroupVersionKind) error {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	envelope, err := (&runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}).Marshal()
	if err != nil {
		return err
	}
	metadata, err := list.Marshal()
	if err != nil {
		return err
	}
	length := fieldSize(len(metadata))
	for _, item := range items {
		message, err := v.message(item)
		if err != nil {
			return err
		}
		length += fieldSize(message.Size())
	}
	const field1, field2 = 0x0a, 0x12
	head := append([]byte("k8s\x00"), field1)
	head = append(binary.AppendUvarint(head, uint64(len(envelope))), envelope...)
	head = binary.AppendUvarint(append(head, field2), uint64(length))
	head = append(binary.AppendUvarint(append(head, field1), uint64(len(metadata))), metadata...)

	body := newResponse(w, r, http.StatusOK, v.media)
	_, err = body.Write(head)
	var prefix []byte
	for _, item := range items {
		if err != nil {
			return err
		}
		message, convErr := v.message(item)
		if convErr != nil {
			return convErr
		}
		data, encodeErr := message.Marshal()
		if encodeErr != nil {
			return encodeErr
		}
		prefix = binary.AppendUvarint(append(prefix[:0], field2), uint64(len(data)))
		_, _ = body.Write(prefix)
		_, err = body.Write(data)
	}
	if err != nil {
		return err
	}
	_, _ = body.Write([]byte{0x1a, 0, 0x22, 0}) // no content encoding, no content type
	return body.Close()
}

func (v *view) message(item runtime.Object) (protoMessage, error) {
	shown, err := v.object(item)
	if err != nil {
		return nil, err
	}
	message, ok := shown.(protoMessage)
	if !ok {
		return nil, fmt.Errorf("%T does not support protobuf", shown)
	}
	return message, nil
}

// fieldSize returns the size of a field with that many bytes, with its tag and length.
func fieldSize(n int) int { return 1 + len(binary.AppendUvarint(nil, uint64(n))) + n }
