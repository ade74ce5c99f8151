package podserver

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kwatch "k8s.io/apimachinery/pkg/watch"

	"vedette.dev/bench/pods"
)

// frames writes the events of a watch, byte for byte as an API server does.
type frames struct {
	blocks
	http *http.ResponseController
	enc  *pods.Encoder
	e    pods.Encoding
}

func newFrames(w http.ResponseWriter, enc *pods.Encoder, e pods.Encoding) *frames {
	return &frames{blocks{w: w, buf: make([]byte, 0, 2*blockSize)}, http.NewResponseController(w), enc, e}
}

func (f *frames) contentType() string {
	if f.e == pods.Protobuf {
		return f.e.ContentType() + ";stream=watch"
	}
	return f.e.ContentType()
}

// sent flushes everything that was written.
func (f *frames) sent() error {
	if f.flush() == nil {
		f.err = f.http.Flush()
	}
	return f.err
}

// initial writes all pods as events, and the bookmark that says that they are complete.
func (f *frames) initial(l listing) {
	for i, change := range l.pods {
		if change != gone {
			f.pod(kwatch.Added, i, int(change))
		}
	}
	f.slow(kwatch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: strconv.FormatInt(version(l.position), 10),
		Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}}, "Pod")
}

func (f *frames) change(c change, number int) {
	kind := kwatch.Modified
	if c.deleted {
		kind = kwatch.Deleted
	}
	f.pod(kind, int(c.index), number)
}

func (f *frames) expired() {
	f.slow(kwatch.Error, &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version",
	}, "Status")
}

// pod writes an event with a pod.
func (f *frames) pod(kind kwatch.EventType, i, change int) {
	if f.e == pods.Protobuf {
		f.podMessage(kind, i, change)
	} else {
		f.buf = append(append(f.buf, `{"type":"`...), kind...)
		f.buf = append(f.buf, `","object":{"kind":"Pod","apiVersion":"v1"`...)
		brace := len(f.buf)
		f.buf = f.enc.AppendChanged(f.buf, i, change)
		f.buf[brace] = ','
		f.buf = append(f.buf, "}\n"...)
	}
	f.full()
}

// podHead and podTail stand around a pod in a runtime.Unknown.
var (
	podHead = string(field([]byte("k8s\x00"), 1, string(field(field(nil, 1, "v1"), 2, "Pod"))))
	podTail = string(field(field(nil, 3, ""), 4, ""))
)

// podMessage writes a metav1.WatchEvent. Lengths stand before what they are about, so they are found from the inside out.
func (f *frames) podMessage(kind kwatch.EventType, i, change int) {
	size := f.enc.Size(i)
	unknown := len(podHead) + headerSize(size) + size + len(podTail)
	extension := headerSize(unknown) + unknown
	event := headerSize(len(kind)) + len(kind) + headerSize(extension) + extension

	f.buf = binary.BigEndian.AppendUint32(f.buf, uint32(event))
	f.buf = field(f.buf, 1, string(kind))
	f.buf = header(f.buf, 2, extension)
	f.buf = header(f.buf, 1, unknown)
	f.buf = append(f.buf, podHead...)
	f.buf = header(f.buf, 2, size)
	f.buf = f.enc.AppendChanged(f.buf, i, change)
	f.buf = append(f.buf, podTail...)
}

// headerSize is how many bytes the header of a field has whose number is small.
func headerSize(length int) int {
	var room [binary.MaxVarintLen64]byte
	return 1 + binary.PutUvarint(room[:], uint64(length))
}

// slow writes an event with any object. There are few of them.
func (f *frames) slow(kind kwatch.EventType, obj interface{ Marshal() ([]byte, error) }, name string) {
	if f.err != nil {
		return
	}
	var frame []byte
	if frame, f.err = f.message(kind, obj, name); f.err == nil {
		f.buf = append(f.buf, frame...)
	}
}

func (f *frames) message(kind kwatch.EventType, obj interface{ Marshal() ([]byte, error) }, name string) ([]byte, error) {
	if f.e == pods.JSON {
		data, err := json.Marshal(obj)
		if err != nil {
			return nil, err
		}
		data = append([]byte(`{"kind":"`+name+`","apiVersion":"v1",`), data[1:]...)
		frame, err := json.Marshal(metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: data}})
		return append(frame, '\n'), err
	}
	data, err := obj.Marshal()
	if err != nil {
		return nil, err
	}
	whole := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: name}, Raw: data}
	data, err = whole.Marshal()
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: append([]byte("k8s\x00"), data...)}}
	if data, err = event.Marshal(); err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...), nil
}
