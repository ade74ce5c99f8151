package fanout

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"vedette.dev/internal/machinetest"
)

// verify checks the invariants of a backlog.
func (b *backlog) verify() error {
	vacancies := 0
	for place := b.ring.head; place < b.ring.tail; place++ {
		w := b.ring.at(place)
		if w.Type == vacant {
			vacancies++
			continue
		}
		if at, ok := b.places.Find(w.Key); !ok || at != place {
			return fmt.Errorf("%s is at %d, and its place is said to be %d", w.Key, place, at)
		}
	}
	if vacancies != b.vacancies || b.len() != b.places.Len() {
		return fmt.Errorf("%d vacancies, %d said; %d notifications, %d keys", vacancies, b.vacancies, b.len(), b.places.Len())
	}
	if b.ring.len() > 0 && b.ring.front().Type == vacant {
		return fmt.Errorf("the front is vacant")
	}
	return nil
}

// backlogMachine changes a world while a handler is notified of it through a backlog.
type backlogMachine struct {
	world   world
	handler believer
	backlog backlog
	number  uint64
	last    uint64 // the number of what was popped last
}

func newBacklogMachine() machinetest.Machine {
	return &backlogMachine{
		world:   world{objects: map[string]*object{}},
		handler: believer{knows: map[string]*object{}},
	}
}

func (m *backlogMachine) Step(c machinetest.Chooser) {
	if m.backlog.len() > 0 && c.Pick(4) == 0 {
		m.deliver()
		return
	}
	n := m.world.change(c)
	m.number++
	m.backlog.add(&n, m.number, 0)
}

func (m *backlogMachine) deliver() {
	w := m.backlog.pop()
	if w.number <= m.last {
		m.handler.err = fmt.Errorf("number %d was popped after %d", w.number, m.last)
	}
	m.last = w.number
	m.handler.call(&w.Notification)
}

func (m *backlogMachine) Check() error {
	if m.handler.err != nil {
		return m.handler.err
	}
	if m.backlog.len() > 5 {
		return fmt.Errorf("%d notifications for 5 keys", m.backlog.len())
	}
	if err := m.backlog.verify(); err != nil {
		return err
	}
	// What waits of a key leads from what the handler knows to the newest state.
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if !m.backlog.has(key) && m.handler.knows[key] != m.world.objects[key] {
			return fmt.Errorf("%s is %v, the handler knows %v, and nothing waits", key, m.world.objects[key], m.handler.knows[key])
		}
	}
	return nil
}

func TestABacklogLeadsFromWhatAHandlerKnowsToTheNewestState(t *testing.T) {
	machinetest.Check(t, newBacklogMachine)
}

func FuzzBacklog(f *testing.F) { machinetest.Fuzz(f, newBacklogMachine) }

func TestWhatTwoNotificationsOfAKeyAreCoalescedInto(t *testing.T) {
	for name, c := range map[string]struct{ first, second, want Notification }{
		"an add and an update are an add of the newest":         {added("a", 1), updated("a", 1, 2), added("a", 2)},
		"two updates are one, from the oldest":                  {updated("a", 1, 2), updated("a", 2, 3), updated("a", 1, 3)},
		"an update and a deletion are the deletion":             {updated("a", 1, 2), deleted("a", 3), deleted("a", 3)},
		"a deletion and an add are both":                        {deleted("a", 1), added("a", 2), Notification{Key: "a", Old: 1, New: 2, Type: Recreated}},
		"of an object that the handler does not know nothing":   {added("a", 1), deleted("a", 2), Notification{Type: vacant}},
		"a resync and an update are an update":                  {resynced("a", 1), updated("a", 1, 2), updated("a", 1, 2)},
		"an update and a resync are the update and not a sync":  {updated("a", 1, 2), resynced("a", 2), updated("a", 1, 2)},
		"two resyncs are a resync":                              {resynced("a", 1), resynced("a", 1), resynced("a", 1)},
		"an object added twice has the newest state, if it has": {added("a", 1), added("a", 2), added("a", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			var b backlog
			b.add(&c.first, 1, 0)
			b.add(&c.second, 2, 0)
			mustNot(t, b.verify())
			if c.want.Type == vacant {
				wantEqual(t, "waiting", b.len(), 0)
				return
			}
			wantEqual(t, "notification", b.pop().Notification, c.want)
		})
	}
}

func TestObjectsThatComeAndGoTakeNoRoomInABacklog(t *testing.T) {
	var b backlog
	stays := added("stays", 1)
	b.add(&stays, 0, 0)
	for i := range 100_000 {
		come, gone := added(strconv.Itoa(i), 1), deleted(strconv.Itoa(i), 1)
		b.add(&come, uint64(i), 0)
		b.add(&gone, uint64(i), 0)
	}
	mustNot(t, b.verify())
	if places := b.ring.len(); places > 200 {
		t.Errorf("%d places for one notification", places)
	}
}

// Of the keys that are lost, a handler is notified of those that it knows.
func TestABacklogDropsWhatWaitsOfKeysThatAreLost(t *testing.T) {
	var b backlog
	number := uint64(0)
	add := func(n Notification) {
		number++
		b.add(&n, number, 0)
	}
	add(added("new", 1))
	add(updated("changed", 1, 2))
	add(deleted("gone", 1))
	add(deleted("again", 1))
	add(added("again", 2))
	add(Notification{Key: "lost", Type: Lost, Old: []string{"new", "changed", "again", "quiet"}})
	add(added("changed", 3))
	add(Notification{Key: "lost", Type: Lost, Old: []string{"more"}})
	var got []Notification
	for b.len() > 0 {
		got = append(got, b.pop().Notification)
	}
	wantEqual(t, "notifications", got, []Notification{
		deleted("gone", 1),
		deleted("again", 1),
		{Key: "lost", Type: Lost, Old: []string{"changed", "quiet", "more"}},
		added("changed", 3),
	})
}

// What a handler is called for names the partition that the object is in then, also if the object has moved while it waited.
func TestABacklogHasThePartitionOfTheNewestState(t *testing.T) {
	a, b := &Partition{ID: "a"}, &Partition{ID: "b"}
	inA := func(n Notification) Notification { n.Partition = a; return n }
	inB := func(n Notification) Notification { n.Partition = b; return n }
	add, update, remove := Notification{Key: "k", New: 1, Type: Added}, Notification{Key: "k", Old: 1, New: 2, Type: Updated}, Notification{Key: "k", Old: 1, Type: Deleted}
	for name, test := range map[string]struct{ in, want []Notification }{
		"updated, moved":          {[]Notification{inA(update), inB(update)}, []Notification{inB(update)}},
		"added, moved":            {[]Notification{inA(add), inB(Notification{Key: "k", Old: 1, New: 1, Type: Updated})}, []Notification{inB(add)}},
		"moved, deleted":          {[]Notification{inA(update), inB(remove)}, []Notification{inB(remove)}},
		"recreated":               {[]Notification{inA(remove), inA(add)}, []Notification{inA(Notification{Key: "k", Old: 1, New: 1, Type: Recreated})}},
		"recreated elsewhere":     {[]Notification{inA(remove), inB(add)}, []Notification{inA(remove), inB(add)}},
		"and deleted there":       {[]Notification{inA(remove), inB(add), inB(remove)}, []Notification{inA(remove)}},
		"and lost there":          {[]Notification{inA(remove), inB(add), {Key: "lost", Old: []string{"k"}, Type: Lost}}, []Notification{inA(remove), {Key: "lost", Old: []string{}, Type: Lost}}},
		"and changed there again": {[]Notification{inA(remove), inB(add), inB(Notification{Key: "k", Old: 1, New: 3, Type: Updated})}, []Notification{inA(remove), inB(Notification{Key: "k", New: 3, Type: Added})}},
	} {
		t.Run(name, func(t *testing.T) {
			var waits backlog
			for i := range test.in {
				waits.add(&test.in[i], uint64(i), 0)
			}
			var got []Notification
			for waits.len() > 0 {
				w := waits.pop()
				got = append(got, w.split()...)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
