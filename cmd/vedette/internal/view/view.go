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
	// namespaces says that they are of several, and are to be shown with theirs.
	namespaces bool

	mu      sync.Mutex
	objects map[key]*entry
	groups  map[string]*group
	pace    pace
}

type key struct{ namespace, name string }

// entry is an object.
type entry struct {
	key
	group   string
	status  string
	created time.Time
	changed time.Time // zero if it is as it was in the beginning
}

// group is the objects that have something in common.
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

// Put takes in an object that is new or has changed. The time is zero for what was there in the beginning.
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

// Remove takes an object out.
func (v *View) Remove(obj *unstructured.Unstructured, at time.Time) {
	v.RemoveKey(obj.GetNamespace(), obj.GetName(), at)
}

// RemoveKey is Remove for an object of which only the name is known.
func (v *View) RemoveKey(namespace, name string, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := key{namespace, name}
	e := v.objects[k]
	delete(v.objects, k)
	v.leave(e, "", at)
	v.count(at)
}

// Len is how many objects there are.
func (v *View) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.objects)
}

// leave takes an object out of its group. That is a change of the group, unless the object comes back to it at once.
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

// pace is how many changes there were in each of the last seconds.
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

// rate is how many there were a second, in the last ten.
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
