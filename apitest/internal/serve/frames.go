package serve

import (
	"encoding/binary"
	"net/http"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

// Frame is one event of a watch as sent to the client. Its data is shared with other watches and must not be modified.
type Frame struct {
	Type watch.EventType
	// Key is the key of the object: namespace/name, or the name alone. It is "" for a bookmark and for an error.
	Key string
	// EndMark means that this is the bookmark that ends the initial events.
	EndMark bool
	Data    []byte
}

// FrameWriter sends the frames of one watch.
type FrameWriter interface {
	// WriteFrame ends the watch if it returns an error. If that is a Status, it is sent to the client before.
	WriteFrame(Frame) error
	// Flush is called when there is nothing more to write for now.
	Flush() error
}

type frameWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newFrameWriter(w http.ResponseWriter) FrameWriter {
	return &frameWriter{w: w, control: http.NewResponseController(w)}
}

func (f *frameWriter) WriteFrame(frame Frame) error {
	_, err := f.w.Write(frame.Data)
	return err
}

func (f *frameWriter) Flush() error { return f.control.Flush() }

// framer encodes the frames of one watch. Frames of events are encoded once for all watches of the same form.
type framer struct {
	cache   *frameCache
	view    *view
	include metav1.IncludeObjectPolicy
	// columns means that a table with the columns has been sent. Later ones have none.
	columns bool
	// unversioned means that objects keep the resource versions that they were written with.
	unversioned bool
}

func newFramer(cache *frameCache, v *view, include metav1.IncludeObjectPolicy) *framer {
	return &framer{cache: cache, view: v, include: include}
}

// frameKey identifies the form of an event.
type frameKey struct {
	kind    *kinds.Kind
	output  output
	event   watch.EventType
	include metav1.IncludeObjectPolicy
	columns bool
}

// event encodes the frame of a change, which has the given type for this watch.
func (f *framer) event(kind watch.EventType, e *storage.Event) ([]byte, error) {
	key := frameKey{kind: f.view.kind, output: f.view.output, event: kind}
	if f.view.as == "Table" {
		key.include, key.columns = f.include, f.columns
	}
	data, fresh, err := e.Frame(key, func() ([]byte, error) {
		obj := e.Item.Object
		if kind == watch.Deleted && e.Type != storage.Deleted {
			// It left the selection: the client gets the previous state, with the new version.
			obj = storage.Shallow(e.Prev.Object)
			if !f.unversioned {
				metaOf(obj).SetResourceVersion(strconv.FormatUint(e.Version(), 10))
			}
		}
		if f.unversioned && kind == watch.Modified {
			obj = distinct(obj, e)
		}
		return f.object(kind, obj)
	})
	if fresh {
		f.cache.add(e, len(data))
	}
	f.columns = true
	return data, err
}

// distinct returns an object of an unversioned server with another resource version, if it has the UID and the version of
// its previous state: informers take such an event for one that they have seen.
func distinct(obj runtime.Object, e *storage.Event) runtime.Object {
	m, prev := metaOf(obj), metaOf(e.Prev.Object)
	if m.GetUID() == "" || m.GetResourceVersion() == "" || m.GetUID() != prev.GetUID() || m.GetResourceVersion() != prev.GetResourceVersion() {
		return obj
	}
	given, _ := strconv.ParseUint(m.GetResourceVersion(), 10, 64) // 0 if it is not a number
	obj = storage.Shallow(obj)
	metaOf(obj).SetResourceVersion(strconv.FormatUint(given+e.Version(), 10))
	return obj
}

// object encodes a frame with an object.
func (f *framer) object(kind watch.EventType, obj runtime.Object) ([]byte, error) {
	if f.view.as == "Table" {
		return f.table(kind, obj)
	}
	whole, err := f.view.whole(obj)
	if err != nil {
		return nil, err
	}
	return f.frame(kind, whole)
}

func (f *framer) table(kind watch.EventType, obj runtime.Object) ([]byte, error) {
	shown, err := f.view.object(obj)
	if err != nil {
		return nil, err
	}
	list := metav1.ListMeta{ResourceVersion: metaOf(obj).GetResourceVersion()}
	table, err := f.view.table([]runtime.Object{shown}, list, f.include)
	if err != nil {
		return nil, err
	}
	if f.columns {
		table.ColumnDefinitions = nil
	}
	f.columns = true
	return f.frame(kind, table)
}

// bookmark encodes a bookmark.
func (f *framer) bookmark(version uint64, end bool) ([]byte, error) {
	obj := f.view.kind.New()
	obj.GetObjectKind().SetGroupVersionKind(f.view.kind.GroupVersionKind)
	m := metaOf(obj)
	m.SetResourceVersion(strconv.FormatUint(version, 10))
	if end {
		m.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	v := *f.view
	v.stored = v.kind // it is in the version of the view already
	marker := &framer{cache: f.cache, view: &v, include: f.include, columns: f.columns}
	return marker.object(watch.Bookmark, obj)
}

func (f *framer) status(status *metav1.Status) ([]byte, error) { return f.frame(watch.Error, status) }

// frame encodes an event with an object that has its kind set.
func (f *framer) frame(kind watch.EventType, obj runtime.Object) ([]byte, error) {
	if f.view.media == mediaCBOR {
		data, err := encodeCBOR(obj)
		if err != nil {
			return nil, err
		}
		return frameCBOR(kind, data)
	}
	if f.view.media != mediaProtobuf {
		data, err := toJSON(obj)
		if err != nil {
			return nil, err
		}
		frame := make([]byte, 0, len(data)+40)
		frame = append(frame, `{"type":"`...)
		frame = append(frame, kind...)
		frame = append(frame, `","object":`...)
		return append(append(frame, data...), "}\n"...), nil
	}
	data, err := encode(obj, mediaProtobuf)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: data}}
	frame := make([]byte, 4, 4+event.Size())
	message, err := event.Marshal()
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(frame, uint32(len(message)))
	return append(frame, message...), nil
}

// frameCache limits the memory of the frames that events keep for slower watches.
type frameCache struct {
	mu    sync.Mutex
	made  int // how many there ever were
	size  int
	queue []cachedFrame
}

type cachedFrame struct {
	event *storage.Event
	size  int
}

// frameMemory is the maximum total size of frames. When it is exceeded, the oldest are dropped, and encoded again if
// needed.
const frameMemory = 64 << 20

func (c *frameCache) add(e *storage.Event, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, cachedFrame{e, size})
	c.size += size
	c.made++
	for c.size > frameMemory && len(c.queue) > 1 {
		oldest := c.queue[0]
		c.queue = c.queue[1:]
		c.size -= oldest.size
		oldest.event.DropFrames()
	}
}

func streamMedia(r *Request) []string {
	media := []string{mediaJSON + ";stream=watch"}
	if !r.Kind.Custom {
		media = append(media, mediaProtobuf+";stream=watch")
	}
	if supportsCBOR(r.Request) {
		media = append(media, mediaCBORSequence)
	}
	return media
}
