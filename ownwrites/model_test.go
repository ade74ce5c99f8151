package ownwrites

import (
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"vedette.dev/cache"
)

// moment is the state of one key from a version on.
type moment struct {
	version int
	obj     *corev1.ConfigMap // nil if there was none
	uid     types.UID         // of what was there, or is gone
	own     bool              // we did it
	exact   bool              // and can prove it
}

// model is a server, the watch of an informer, and what a reader may see of both.
type model struct {
	t       *rapid.T
	stub    *stub
	tracker *Tracker
	version int
	uids    int
	// history is what happened to each key, and events the same in order.
	history map[string][]moment
	events  []string // keys
	times   []int    // their versions
	// applied is how many events are in the store.
	applied int
	// answers are own writes that the server has done, and that were not recorded yet.
	answers []answer
	// floor is the version of the newest recorded own write of each key.
	floor map[string]int
	// delivered is the last state of each key that the slow handler received.
	delivered map[string]moment
}

func (m *model) keys() []string { return []string{"ns/a", "ns/b", "other/a"} }

func (m *model) last(key string) moment {
	h := m.history[key]
	if len(h) == 0 {
		return moment{}
	}
	return h[len(h)-1]
}

// happen notes that a key changed.
func (m *model) happen(key string, obj *corev1.ConfigMap, uid types.UID, own, exact bool) moment {
	m.version++
	if obj != nil {
		obj.ResourceVersion = strconv.Itoa(m.version)
		obj.UID = uid
	}
	at := moment{m.version, obj, uid, own, exact}
	m.history[key] = append(m.history[key], at)
	m.events, m.times = append(m.events, key), append(m.times, m.version)
	return at
}

func (m *model) object(key string) *corev1.ConfigMap {
	name, _ := cache.ParseObjectName(key)
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	if color := rapid.SampledFrom([]string{"red", "green", "", "panic"}).Draw(m.t, "color"); color != "" {
		obj.Labels = map[string]string{"color": color}
	}
	return obj
}

// answer records an own write, now or later.
func (m *model) answer(key string, at moment, record func() error) {
	done := answer{key, func() {
		if err := record(); err != nil {
			m.t.Fatalf("%s@%d: %v", key, at.version, err)
		}
		m.floor[key] = max(m.floor[key], at.version)
	}}
	if rapid.IntRange(0, 3).Draw(m.t, "answered late") == 0 {
		m.answers = append(m.answers, done)
		return
	}
	done.record()
}

// answer is an own write of a key, done by the server.
type answer struct {
	key    string
	record func()
}

func (m *model) write(own bool) {
	key := rapid.SampledFrom(m.keys()).Draw(m.t, "key")
	was := m.last(key)
	obj := m.object(key)
	if was.obj == nil {
		m.uids++
		at := m.happen(key, obj, types.UID("u"+strconv.Itoa(m.uids)), own, own)
		if own {
			m.answer(key, at, func() error { return m.tracker.Created(at.obj) })
		}
		return
	}
	how := rapid.SampledFrom([]string{"update", "patch", "nothing", "delete", "delete", "returned"}).Draw(m.t, "how")
	switch how {
	case "update", "patch":
		at := m.happen(key, obj, was.uid, own, own && how == "update")
		if own && how == "update" {
			m.answer(key, at, func() error { return m.tracker.Updated(at.obj, was.obj.ResourceVersion) })
		} else if own {
			m.answer(key, at, func() error { return m.tracker.Wrote(at.obj) })
		}
	case "nothing": // the response to a patch without changes has the last state, by another writer
		if own {
			m.answer(key, was, func() error { return m.tracker.Wrote(was.obj) })
		}
	case "delete", "returned":
		at := m.happen(key, nil, was.uid, own, own)
		if own {
			name, _ := cache.ParseObjectName(key)
			after := strconv.Itoa(m.version)
			d := Deletion{Namespace: name.Namespace, Name: name.Name, UID: was.uid}
			d.sent, d.before = m.tracker.entries.Load(), m.tracker.held(key).uid
			// Of two own writes at the same time, with an unseen object in between, the order is unknown.
			alone := !slices.ContainsFunc(m.answers, func(a answer) bool { return a.key == key })
			if how == "returned" || !alone {
				d.Version = strconv.Itoa(at.version)
			}
			m.answer(key, at, func() error {
				err := m.tracker.delete(d)
				if isUnbounded(err) {
					d.After = after
					err = m.tracker.delete(d)
				}
				return err
			})
		}
	}
}

// gone is the object of a deletion event: its last state, at the version of the deletion.
func (m *model) gone(key string, at moment) *corev1.ConfigMap {
	name, _ := cache.ParseObjectName(key)
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: name.Namespace, Name: name.Name, UID: at.uid, ResourceVersion: strconv.Itoa(at.version),
	}}
}

// at is the state of a key at a version, and its number.
func (m *model) at(key string, version int) (moment, int) {
	h := m.history[key]
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].version <= version {
			return h[i], i
		}
	}
	return moment{}, -1
}

// step applies the next event to the store.
func (m *model) step() {
	if m.applied == len(m.events) {
		return
	}
	key := m.events[m.applied]
	at, _ := m.at(key, m.times[m.applied])
	m.applied++
	if at.obj == nil {
		m.stub.remove(m.gone(key, at))
		return
	}
	m.stub.put(at.obj)
}

// bookmark says how far the store is, if a server could say so.
func (m *model) bookmark() {
	if m.applied == len(m.events) {
		m.stub.bookmark(m.version)
	}
}

// relist brings the store to the present, without the events between.
func (m *model) relist() {
	m.applied = len(m.events)
	var list []any
	for _, key := range m.keys() {
		if at := m.last(key); at.obj != nil {
			list = append(list, at.obj)
		}
	}
	before := m.stub.store.List()
	if err := m.stub.store.Replace(slices.Clone(list), strconv.Itoa(m.version)); err != nil {
		_ = err // of the index functions that fail
	}
	for _, obj := range before {
		key, _ := cache.MetaNamespaceKeyFunc(obj)
		if m.last(key).obj == nil {
			m.tell(func(h cache.ResourceEventHandler) { h.OnDelete(cache.DeletedFinalStateUnknown{Key: key, Obj: obj}) })
		}
	}
	for _, obj := range list {
		m.tell(func(h cache.ResourceEventHandler) { h.OnAdd(obj, false) })
	}
}

func (m *model) tell(call func(cache.ResourceEventHandler)) {
	for _, h := range m.stub.handlers {
		call(h)
	}
}

func (m *model) stored() int {
	if m.applied == 0 {
		return 0
	}
	return m.times[m.applied-1]
}

// TestAgainstAModel lets own and foreign writes, the watch, lists, bookmarks and readers come in any order.
func TestAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: rt, stub: newStub(), history: map[string][]moment{}, floor: map[string]int{}, delivered: map[string]moment{}}
		var err error
		if m.tracker, err = New(m.stub, Config{Sweep: time.Hour}); err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = m.tracker.Close() }()
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"own", "own", "own", "foreign", "step", "step", "step", "bookmark", "relist", "answer", "listen", "sweep"}).Draw(rt, "step") {
			case "own":
				m.write(true)
			case "foreign":
				m.write(false)
			case "step":
				m.step()
			case "bookmark":
				m.bookmark()
			case "relist":
				m.relist()
			case "answer":
				if len(m.answers) > 0 {
					i := rapid.IntRange(0, len(m.answers)-1).Draw(rt, "which")
					done := m.answers[i]
					m.answers = slices.Delete(m.answers, i, i+1)
					done.record()
				}
			case "listen":
				m.listen()
			case "sweep":
				m.tracker.settleAll()
			}
			m.read()
		}
		m.quiet()
	})
}

// quiet lets all answers and events come, and a bookmark: then nothing is left to add to the store.
func (m *model) quiet() {
	for _, done := range m.answers {
		done.record()
		m.read()
	}
	for m.applied < len(m.events) {
		m.step()
		m.read()
	}
	m.bookmark()
	m.tracker.settleAll()
	if s := m.tracker.Stats(); s.Waiting != 0 {
		m.t.Fatalf("%+v", s)
	}
	if m.tracker.Indexer().(*view).Current() != m.stub.store {
		m.t.Fatal("listers still go a longer way")
	}
	m.read()
}
