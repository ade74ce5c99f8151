package podserver

import (
	"encoding/binary"
	"io"
	"strconv"

	"vedette.dev/bench/pods"
)

// blockSize is how much is written at once: enough that the calls of the kernel do not count.
const blockSize = 64 << 10

// writeList writes a page as a PodList, byte for byte as an API server does.
func writeList(w io.Writer, enc *pods.Encoder, e pods.Encoding, p page) error {
	b := blocks{w: w, buf: make([]byte, 0, 2*blockSize)}
	if e == pods.Protobuf {
		b.protobuf(enc, p)
	} else {
		b.json(enc, p)
	}
	return b.flush()
}

// blocks collects small writes. After an error, which sticks, nothing is written any more.
type blocks struct {
	w   io.Writer
	buf []byte
	err error
}

// full writes what is there if it is enough for a block. It returns false if it is of no use to go on.
func (b *blocks) full() bool {
	if len(b.buf) >= blockSize {
		return b.flush() == nil
	}
	return b.err == nil
}

func (b *blocks) flush() error {
	if b.err == nil {
		_, b.err = b.w.Write(b.buf)
	}
	b.buf = b.buf[:0]
	return b.err
}

func (b *blocks) json(enc *pods.Encoder, p page) {
	b.buf = append(b.buf, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"`...)
	b.buf = strconv.AppendInt(b.buf, version(p.position), 10)
	if p.next > 0 {
		b.buf = append(b.buf, `","continue":"`+p.token()...)
	}
	b.buf = append(b.buf, `"},"items":[`...)
	comma := false
	for i := p.begin; i < p.end && b.full(); i++ {
		if p.pods[i] == gone {
			continue
		}
		if comma {
			b.buf = append(b.buf, ',')
		}
		comma = true
		b.buf = enc.AppendChanged(b.buf, i, int(p.pods[i]))
	}
	b.buf = append(b.buf, "]}\n"...)
}

// protobuf writes "k8s\x00", and a runtime.Unknown with the type in field 1 and the list in field 2. Fields 3 and 4 say
// how the list is encoded: not at all.
func (b *blocks) protobuf(enc *pods.Encoder, p page) {
	meta := listMeta(p)
	size := len(meta)
	for i := p.begin; i < p.end; i++ {
		if p.pods[i] != gone {
			size += len(header(nil, 2, enc.Size(i))) + enc.Size(i)
		}
	}

	b.buf = append(b.buf, "k8s\x00"...)
	b.buf = field(b.buf, 1, string(field(field(nil, 1, "v1"), 2, "PodList")))
	b.buf = header(b.buf, 2, size)
	b.buf = append(b.buf, meta...)
	for i := p.begin; i < p.end && b.full(); i++ {
		if p.pods[i] != gone {
			b.buf = header(b.buf, 2, enc.Size(i))
			b.buf = enc.AppendChanged(b.buf, i, int(p.pods[i]))
		}
	}
	b.buf = field(field(b.buf, 3, ""), 4, "")
}

// listMeta is field 1 of the list. All its strings are written, empty or not.
func listMeta(p page) []byte {
	meta := field(nil, 1, "")                                         // selfLink
	meta = field(meta, 2, strconv.FormatInt(version(p.position), 10)) // resourceVersion
	meta = field(meta, 3, p.token())                                  // continue
	return field(nil, 1, string(meta))
}

// field writes a field that has a length.
func field(dst []byte, number int, value string) []byte {
	return append(header(dst, number, len(value)), value...)
}

func header(dst []byte, number, length int) []byte {
	const hasLength = 2
	dst = binary.AppendUvarint(dst, uint64(number)<<3|hasLength)
	return binary.AppendUvarint(dst, uint64(length))
}
