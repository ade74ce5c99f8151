package pods

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Encoding is a form in which a server sends pods.
type Encoding int

const (
	JSON Encoding = iota
	Protobuf
)

func (e Encoding) String() string {
	if e == Protobuf {
		return "protobuf"
	}
	return "JSON"
}

// ContentType is what a server calls the encoding.
func (e Encoding) ContentType() string {
	if e == Protobuf {
		return "application/vnd.kubernetes.protobuf"
	}
	return "application/json"
}

// Encoder writes pods without building them: it copies an encoded example of the shape, and writes the identity over the
// one in there. That takes a fraction of the time, so a server can serve a hundred thousand pods without keeping them, and
// without slowing down the client that is measured.
type Encoder struct {
	encoding Encoding
	examples []example // by shape
}

// NewEncoder returns an encoder.
func NewEncoder(e Encoding) (*Encoder, error) {
	enc := &Encoder{encoding: e}
	for _, s := range shapes {
		x, err := newExample(e, s)
		if err != nil {
			return nil, err
		}
		enc.examples = append(enc.examples, x)
	}
	return enc, nil
}

// Size is how many bytes pod i has.
func (e *Encoder) Size(i int) int { return len(e.examples[shapeOf(i)].data) }

// Append writes pod i behind dst: a JSON object, or the bare message.
func (e *Encoder) Append(dst []byte, i int) []byte { return e.AppendChanged(dst, i, 0) }

// AppendChanged writes pod i as the given change has left it; see [Changed].
func (e *Encoder) AppendChanged(dst []byte, i, change int) []byte {
	id := newIdentity()
	id.fill(i)
	id.change(change)
	x := &e.examples[shapeOf(i)]
	begin := len(dst)
	dst = append(dst, x.data...)
	x.overwrite(dst[begin:], e.encoding, id)
	return dst
}

// example is an encoded pod, with the places where its identity stands.
type example struct {
	data  []byte
	texts [fields][]int
	times [moments][]int
}

func newExample(e Encoding, s *shape) (example, error) {
	id := marked()
	data, err := encode(e, build(s, id))
	if err != nil {
		return example{}, fmt.Errorf("encode an example: %w", err)
	}
	x := example{data: data}
	for f, text := range id.text {
		x.texts[f] = places(data, text)
	}
	for m, seconds := range id.times {
		x.times[m] = places(data, encodeTime(nil, e, seconds))
	}
	return x, nil
}

// marked is an identity whose parts are found nowhere else in a pod.
func marked() *identity {
	id := newIdentity()
	for f := range id.text {
		for i := range id.text[f] {
			id.text[f][i] = 'A' + byte(f)
		}
	}
	const farAway = 4_102_444_800 // the year 2100; it has as many bytes as our times
	for m := range id.times {
		id.times[m] = farAway + int64(m)
	}
	return id
}

func places(data, part []byte) []int {
	var out []int
	for at := 0; ; {
		i := bytes.Index(data[at:], part)
		if i < 0 {
			return out
		}
		out = append(out, at+i)
		at += i + len(part)
	}
}

func (x *example) overwrite(data []byte, e Encoding, id *identity) {
	for f, places := range x.texts {
		for _, at := range places {
			copy(data[at:], id.text[f])
		}
	}
	var room [32]byte
	for m, places := range x.times {
		text := encodeTime(room[:0], e, id.times[m])
		for _, at := range places {
			copy(data[at:], text)
		}
	}
}

func encode(e Encoding, pod *corev1.Pod) ([]byte, error) {
	if e == Protobuf {
		return pod.Marshal()
	}
	return json.Marshal(pod)
}

// encodeTime writes a time as it stands in a pod.
func encodeTime(dst []byte, e Encoding, seconds int64) []byte {
	if e == Protobuf {
		return binary.AppendUvarint(dst, uint64(seconds))
	}
	return appendTime(dst, seconds)
}
