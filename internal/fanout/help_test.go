package fanout

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"

	"vedette.dev/internal/machinetest"
)

// No test may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustNot(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantEqual[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// object is a state of an object. Objects with another uid are other objects.
type object struct {
	name         string
	uid, version int
}

func (o *object) String() string { return fmt.Sprintf("%s@%d", o.name, o.version) }

// world makes the notifications of a few objects that are added, updated and deleted.
type world struct {
	objects map[string]*object
	version int
}

func (w *world) change(c machinetest.Chooser) Notification {
	key := string(rune('a' + c.Pick(5)))
	was := w.objects[key]
	w.version++
	now := &object{name: key, uid: w.version, version: w.version}
	switch {
	case was == nil:
		w.objects[key] = now
		return Notification{Key: key, New: now, Type: Added}
	case c.Pick(3) == 0:
		delete(w.objects, key)
		return Notification{Key: key, Old: was, Type: Deleted}
	case c.Pick(4) == 0:
		return Notification{Key: key, Old: was, New: was, Type: Updated, Sync: true}
	default:
		now.uid = was.uid
		w.objects[key] = now
		return Notification{Key: key, Old: was, New: now, Type: Updated}
	}
}

// believer is a handler that believes what it is notified of. It has an error if that contradicts what it knows.
type believer struct {
	knows map[string]*object
	err   error
}

func (b *believer) call(n *Notification) {
	switch n.Type {
	case Added:
		b.add(n.New.(*object))
	case Updated:
		b.update(n.Old.(*object), n.New.(*object))
	case Deleted:
		b.delete(n.Old.(*object))
	case Recreated:
		b.delete(n.Old.(*object))
		b.add(n.New.(*object))
	default:
		b.err = fmt.Errorf("a notification of type %d", n.Type)
	}
}

func (b *believer) add(o *object) {
	if known := b.knows[o.name]; known != nil {
		b.err = fmt.Errorf("%v was added, and was known as %v", o, known)
	}
	b.knows[o.name] = o
}

func (b *believer) update(old, o *object) {
	if known := b.knows[o.name]; known != old || old.uid != o.uid {
		b.err = fmt.Errorf("%v was updated to %v, and was known as %v", old, o, known)
	}
	b.knows[o.name] = o
}

func (b *believer) delete(o *object) {
	if known := b.knows[o.name]; known == nil || known.uid != o.uid {
		b.err = fmt.Errorf("%v was deleted, and was known as %v", o, known)
	}
	delete(b.knows, o.name)
}

// diary is a handler that writes down what it is notified of.
type diary struct {
	mu     sync.Mutex
	lines  []string
	during func(line string) // called in each call; may be nil
}

func (d *diary) call(n *Notification) {
	line := [...]string{Added: "add", Updated: "update", Deleted: "delete", Recreated: "recreate", Lost: "lose"}[n.Type]
	if n.Sync {
		line = "resync"
	}
	line += " " + n.Key
	if n.Old != nil && n.Type != Lost {
		line += fmt.Sprint(" from ", n.Old)
	}
	if n.New != nil {
		line += fmt.Sprint(" to ", n.New)
	}
	d.mu.Lock()
	d.lines = append(d.lines, line)
	d.mu.Unlock()
	if d.during != nil {
		d.during(line)
	}
}

// read returns the lines since the last read.
func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.lines
	d.lines = nil
	return out
}

// config returns the Config of a listener of a handler.
func config(call func(*Notification)) Config {
	return Config{Call: call, Name: func() string { return "test" }, Logger: logr.Discard()}
}

// startLog returns a log that has started, and ends with the test.
func startLog(t *testing.T) *Log {
	log := NewLog(0, logr.Discard())
	log.Start()
	t.Cleanup(log.End)
	return log
}

// listen adds a listener that begins with the given notifications.
func listen(log *Log, c Config, replay ...Notification) *Listener {
	l := NewListener(c)
	log.Add(l, func() Replay { return &listReplay{notifications: replay} })
	return l
}

type listReplay struct {
	notifications []Notification
	released      int
}

func (r *listReplay) Len() int                    { return len(r.notifications) }
func (r *listReplay) All() iter.Seq[Notification] { return slices.Values(r.notifications) }
func (r *listReplay) Release()                    { r.released++ }

func added(key string, to int) Notification {
	return Notification{Key: key, New: to, Type: Added}
}

func updated(key string, from, to int) Notification {
	return Notification{Key: key, Old: from, New: to, Type: Updated}
}

func deleted(key string, from int) Notification {
	return Notification{Key: key, Old: from, Type: Deleted}
}

func resynced(key string, at int) Notification {
	return Notification{Key: key, Old: at, New: at, Type: Updated, Sync: true}
}

// versions returns the versions of objects by name.
func versions(objects map[string]*object) map[string]int {
	out := map[string]int{}
	for name, o := range objects {
		out[name] = o.version
	}
	return out
}
