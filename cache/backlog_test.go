package cache

import (
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/machinetest"
)

// verify checks what always holds in a backlog.
func (b *backlog) verify() error {
	vacancies := 0
	for place := b.ring.head; place < b.ring.tail; place++ {
		w := b.ring.at(place)
		if w.what == vacant {
			vacancies++
			continue
		}
		if at, ok := b.places.m[w.key]; !ok || at != place {
			return fmt.Errorf("%s is at %d, and its place is said to be %d", w.key, place, at)
		}
	}
	if vacancies != b.left || b.len() != len(b.places.m) {
		return fmt.Errorf("%d vacancies, %d said; %d notices, %d keys", vacancies, b.left, b.len(), len(b.places.m))
	}
	if b.ring.len() > 0 && b.ring.front().what == vacant {
		return fmt.Errorf("the front is vacant")
	}
	return nil
}

// world makes the notices of a few objects that come, change and go.
type world struct {
	objects map[string]*corev1.Pod
	version int
}

func (w *world) change(c machinetest.Chooser) notice {
	key := string(rune('a' + c.Pick(5)))
	was := w.objects[key]
	w.version++
	now := pod("", key, strconv.Itoa(w.version))
	switch {
	case was == nil:
		now.UID = types.UID(now.ResourceVersion)
		w.objects[key] = now
		return notice{key: key, new: now, what: added}
	case c.Pick(3) == 0:
		delete(w.objects, key)
		return notice{key: key, old: was, what: deleted}
	case c.Pick(4) == 0:
		return notice{key: key, old: was, new: was, what: updated, sync: true}
	default:
		now.UID = was.UID
		w.objects[key] = now
		return notice{key: key, old: was, new: now, what: updated}
	}
}

// audience is a handler that believes what it is told, and complains if it cannot be.
type audience struct {
	knows map[string]*corev1.Pod
	err   error
}

func (a *audience) OnAdd(obj any, _ bool) {
	p := obj.(*corev1.Pod)
	if known := a.knows[p.Name]; known != nil {
		a.err = fmt.Errorf("%s was added at %s, and was known at %s", p.Name, p.ResourceVersion, known.ResourceVersion)
	}
	a.knows[p.Name] = p
}

func (a *audience) OnUpdate(oldObj, newObj any) {
	old, p := oldObj.(*corev1.Pod), newObj.(*corev1.Pod)
	switch known := a.knows[p.Name]; {
	case known == nil || revisionOf(known) != revisionOf(old) || !storages[*storageFlag].Packed && known != old:
		a.err = fmt.Errorf("%s was updated from %s, and was known as %v", p.Name, old.ResourceVersion, revisionOf(known))
	case old.UID != p.UID:
		a.err = fmt.Errorf("%s was updated from one object to another", p.Name)
	}
	a.knows[p.Name] = p
}

func (a *audience) OnDelete(obj any) {
	p, ok := obj.(*corev1.Pod)
	if d, unseen := obj.(DeletedFinalStateUnknown); unseen {
		p, ok = d.Obj.(*corev1.Pod)
	}
	known := (*corev1.Pod)(nil)
	if ok {
		known = a.knows[p.Name]
	}
	if known == nil || known.UID != p.UID {
		a.err = fmt.Errorf("%v was deleted, and was known as %v", obj, known)
		return
	}
	delete(a.knows, p.Name)
}

// backlogMachine has a world change while a handler hears of it through a backlog.
type backlogMachine struct {
	world    world
	audience audience
	backlog  backlog
	number   uint64
	last     uint64 // the number of what was handed out last
}

func newBacklogMachine() machinetest.Machine {
	return &backlogMachine{
		world:    world{objects: map[string]*corev1.Pod{}},
		audience: audience{knows: map[string]*corev1.Pod{}},
	}
}

func (m *backlogMachine) Step(c machinetest.Chooser) {
	if m.backlog.len() > 0 && c.Pick(4) == 0 {
		m.hear()
		return
	}
	n := m.world.change(c)
	m.number++
	m.backlog.add(&n, m.number, 0)
}

func (m *backlogMachine) hear() {
	w := m.backlog.pop()
	if w.number <= m.last {
		m.audience.err = fmt.Errorf("number %d was handed out after %d", w.number, m.last)
	}
	m.last = w.number
	w.call(&m.audience)
}

func (m *backlogMachine) Check() error {
	if m.audience.err != nil {
		return m.audience.err
	}
	if m.backlog.len() > 5 {
		return fmt.Errorf("%d notices for 5 keys", m.backlog.len())
	}
	if err := m.backlog.verify(); err != nil {
		return err
	}
	// Whatever waits for a key leads from what the handler knows to how it is.
	for key := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true} {
		if _, waits := m.backlog.places.m[key]; !waits && m.audience.knows[key] != m.world.objects[key] {
			return fmt.Errorf("%s is %v, the handler knows %v, and nothing waits", key, m.world.objects[key], m.audience.knows[key])
		}
	}
	return nil
}

func TestABacklogLeadsFromWhatAHandlerKnowsToHowItIs(t *testing.T) {
	machinetest.Check(t, newBacklogMachine)
}

func FuzzBacklog(f *testing.F) { machinetest.Fuzz(f, newBacklogMachine) }

func TestWhatABacklogMakesOfTwoNotices(t *testing.T) {
	one, two, three := pod("", "a", "1"), pod("", "a", "2"), pod("", "a", "3")
	add := func(p any) notice { return notice{key: "a", new: p, what: added} }
	update := func(old, new any) notice { return notice{key: "a", old: old, new: new, what: updated} }
	remove := func(p any) notice { return notice{key: "a", old: p, what: deleted} }
	for name, c := range map[string]struct{ first, second, want notice }{
		"an add and an update are an add of the newest":     {add(one), update(one, two), add(two)},
		"two updates are one, from the oldest":              {update(one, two), update(two, three), update(one, three)},
		"an update and a deletion are the deletion":         {update(one, two), remove(three), remove(three)},
		"a deletion and an add are both":                    {remove(one), add(two), notice{key: "a", old: one, new: two, what: recreated}},
		"an object that nobody heard of leaves no trace":    {add(one), remove(two), notice{what: vacant}},
		"a resync and an update are an update":              {notice{key: "a", old: one, new: one, what: updated, sync: true}, update(one, two), update(one, two)},
		"an update and a resync are the update, not a sync": {update(one, two), notice{key: "a", old: two, new: two, what: updated, sync: true}, update(one, two)},
	} {
		t.Run(name, func(t *testing.T) {
			var b backlog
			b.add(&c.first, 1, 0)
			b.add(&c.second, 2, 0)
			mustNot(t, b.verify())
			if c.want.what == vacant {
				wantEqual(t, "waiting", b.len(), 0)
				return
			}
			wantEqual(t, "notice", b.pop().notice, c.want)
		})
	}
}

func TestObjectsThatComeAndGoUnheardTakeNoRoom(t *testing.T) {
	var b backlog
	stays := notice{key: "stays", new: pod("", "stays", "1"), what: added}
	b.add(&stays, 0, 0)
	for i := range 100_000 {
		key := strconv.Itoa(i)
		come := notice{key: key, new: key, what: added}
		gone := notice{key: key, old: key, what: deleted}
		b.add(&come, uint64(i), 0)
		b.add(&gone, uint64(i), 0)
	}
	mustNot(t, b.verify())
	if places := b.ring.len(); places > 200 {
		t.Errorf("%d places for one notice", places)
	}
}
