package view

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/cmd/vedette/internal/object"
)

// View is the objects of one kind.
type View struct {
	by object.By
	// namespaces is set if objects are of several namespaces, which are then displayed.
	namespaces bool

	mu      sync.Mutex
	objects map[key]*entry
	groups  map[string]*group
	pace    pace
}

type key struct{ namespace, name string }

// entry is the state of an object.
type entry struct {
	key
	group   string
	status  string
	created time.Time
	changed time.Time // zero if it has not changed since the initial list
}

// group has the counts of the objects of a group.
//
// Invariant: objects is the sum of statuses, and is not zero.
type group struct {
	name     string
	objects  int
	statuses map[string]int
	changes  int
	changed  time.Time
}

// New returns an empty view. A zero By means that objects are shown one by one.
func New(by object.By, namespaces bool) *View {
	return &View{by: by, namespaces: namespaces, objects: make(map[key]*entry), groups: make(map[string]*group)}
}

// Put adds or replaces an object. The time is zero for objects of the initial list.
func (v *View) Put(obj *unstructured.Unstructured, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := key{obj.GetNamespace(), obj.GetName()}
	old := v.objects[k]
	e := &entry{key: k, group: v.by.Of(obj), status: object.Status(obj), created: obj.GetCreationTimestamp().Time, changed: at}
	v.objects[k] = e
	v.leave(old, e.group, at)
	v.enter(e, at)
	v.count(at)
}

// Remove removes an object.
func (v *View) Remove(obj *unstructured.Unstructured, at time.Time) {
	v.RemoveKey(obj.GetNamespace(), obj.GetName(), at)
}

// RemoveKey removes an object of which only the key is known.
func (v *View) RemoveKey(namespace, name string, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := key{namespace, name}
	e := v.objects[k]
	delete(v.objects, k)
	v.leave(e, "", at)
	v.count(at)
}

// Len returns the number of objects.
func (v *View) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.objects)
}

// leave removes an object from its group. It counts as a change of the group, unless the object is added to it again at once.
func (v *View) leave(e *entry, next string, at time.Time) {
	if e == nil {
		return
	}
	g := v.groups[e.group]
	if g.objects--; g.objects == 0 && e.group != next {
		delete(v.groups, e.group)
		return
	}
	if g.statuses[e.status]--; g.statuses[e.status] == 0 {
		delete(g.statuses, e.status)
	}
	if e.group != next {
		g.note(at)
	}
}

func (v *View) enter(e *entry, at time.Time) {
	g := v.groups[e.group]
	if g == nil {
		g = &group{name: e.group, statuses: make(map[string]int)}
		v.groups[e.group] = g
	}
	g.objects++
	g.statuses[e.status]++
	g.note(at)
}

func (g *group) note(at time.Time) {
	if !at.IsZero() {
		g.changes++
		g.changed = at
	}
}

func (v *View) count(at time.Time) {
	if !at.IsZero() {
		v.pace.add(at)
	}
}

// pace counts the changes in each of the last seconds.
type pace struct {
	seconds [paceSeconds]struct {
		at      int64 // which second it is
		changes int
	}
	first time.Time
}

const paceSeconds = 11 // the present one is not over yet

func (p *pace) add(at time.Time) {
	if p.first.IsZero() {
		p.first = at
	}
	s := &p.seconds[at.Unix()%paceSeconds]
	if s.at != at.Unix() {
		s.at, s.changes = at.Unix(), 0
	}
	s.changes++
}

// rate returns the changes per second over the last ten seconds.
func (p *pace) rate(now time.Time) float64 {
	sum := 0
	for _, s := range p.seconds {
		if age := now.Unix() - s.at; age > 0 && age < paceSeconds {
			sum += s.changes
		}
	}
	span := min(now.Unix()-p.first.Unix(), paceSeconds-1)
	if p.first.IsZero() || span <= 0 {
		return 0
	}
	return float64(sum) / float64(span)
}
