package workqueue

import (
	"cmp"
	"slices"

	"vedette.dev/internal/dueheap"
	"vedette.dev/internal/slotmap"
)

// fairLine orders keys by priority and tenant. Its parts:
//
//	classes   one for each priority that has keys waiting
//	 └ flows  one for each tenant with keys in the class; they take turns
//	    └ a chain of slots, first in, first out
//
// Time is counted in turns: one pop is one turn. Push and pop take the same time whatever the number of keys and tenants;
// they take longer the more priorities one tenant has keys of.
type fairLine[T comparable] struct {
	tenantOf func(T) string
	hasher   slotmap.Hasher[string]
	patience int64

	// tenants holds those that have keys waiting or in workers' hands.
	tenants slotmap.Map[string, tenant]
	classes slab[class]
	// order lists the classes by priority, highest last.
	order []uint32
	// waits ranks the classes by the turn at which their patience ends.
	waits     dueheap.Heap
	flows     slab[flow]
	flowLinks []link // by flow
	keyLinks  []link // by slot of the key

	turn   int64
	forced bool // the last turn went to a class whose patience had ended
	n      int  // keys that wait
	held   int  // keys in workers' hands
}

type tenant struct {
	held  int
	flows uint32 // the first of its flows, plus one
}

type class struct {
	priority int32
	// turns holds the flows in the order of their turns. Over holds those that were found to be over their share when
	// their turn came.
	turns, over chain
}

type flow struct {
	class, tenant uint32
	priority      int32 // of the class
	keys          chain
	over          bool   // in class.over
	sibling       uint32 // the tenant's next flow, plus one
}

// keepTenants is the number of tenants whose memory is kept for the next ones.
const keepTenants = 100

func newFairLine[T comparable](tenantOf func(T) string, patience int) *fairLine[T] {
	return &fairLine[T]{
		tenantOf: tenantOf,
		hasher:   slotmap.NewHasher[string]("workqueue: tenant"),
		tenants:  slotmap.New[string, tenant](keepTenants),
		patience: int64(patience),
	}
}

func (l *fairLine[T]) len() int { return l.n }

func (l *fairLine[T]) push(slot uint32, e *keyEntry[T]) {
	if !e.Val.processing { // else it comes back from a worker, and its tenant is known
		e.Val.tenant = l.tenant(l.tenantOf(e.Key))
	}
	l.append(slot, e)
	l.n++
}

// tenant returns the tenant of a name, and makes it if need be.
func (l *fairLine[T]) tenant(name string) uint32 {
	hash := l.hasher.Hash(name)
	id, _, _ := l.tenants.Ensure(hash, name)
	return id
}

// append puts a key at the end of the flow of its tenant and priority.
func (l *fairLine[T]) append(slot uint32, e *keyEntry[T]) {
	id := l.flow(e.Val.tenant, e.Val.priority)
	l.keyLinks = linksFor(l.keyLinks, slot)
	l.flows.at(id).keys.pushBack(l.keyLinks, slot)
	e.Val.place = id
}

// unlink takes a key out of its flow, and the flow away if it is empty.
func (l *fairLine[T]) unlink(slot, id uint32) {
	f := l.flows.at(id)
	f.keys.remove(l.keyLinks, slot)
	if f.keys.empty() {
		l.dropFlow(id)
	}
}

func (l *fairLine[T]) pop() (slot uint32, item T) {
	l.turn++
	id := l.nextFlow(l.classes.at(l.nextClass()))
	f := l.flows.at(id)
	slot = f.keys.first()
	l.tenants.At(f.tenant).Val.held++
	l.held++
	l.n--
	l.unlink(slot, id)
	l.trim()
	return slot, item
}

// nextClass is the highest, unless the patience of another has ended.
func (l *fairLine[T]) nextClass() uint32 {
	next := l.order[len(l.order)-1]
	if len(l.order) > 1 && !l.forced {
		if c, end, _ := l.waits.Min(); end <= l.turn {
			l.forced = c != next
			next = c
		}
	} else {
		l.forced = false
	}
	if len(l.order) > 1 {
		l.waits.Set(next, l.turn+l.patience)
	}
	return next
}

// nextFlow is the one whose turn it is, among those whose tenants hold fewer workers than their share; if there is
// none, among the others. It goes to the end of the turns.
func (l *fairLine[T]) nextFlow(c *class) (id uint32) {
	for !c.turns.empty() {
		id = c.turns.first()
		f := l.flows.at(id)
		c.turns.remove(l.flowLinks, id)
		if l.tenants.At(f.tenant).Val.held < l.share() {
			c.turns.pushBack(l.flowLinks, id)
			return id
		}
		f.over = true
		c.over.pushBack(l.flowLinks, id)
	}
	id = c.over.first()
	l.flows.at(id).over = false
	c.over.remove(l.flowLinks, id)
	c.turns.pushBack(l.flowLinks, id)
	return id
}

// share is the number of workers that a tenant may hold while others wait. It is never less than two, so that one key
// that hangs does not stop the rest of its tenant.
func (l *fairLine[T]) share() int {
	tenants := l.tenants.Len()
	if l.held < 2*tenants {
		return 2
	}
	return (l.held + tenants) / tenants // (held+1)/tenants, rounded up
}

// touch raises the priority of a key that waits: it goes to the end of its new class.
func (l *fairLine[T]) touch(slot uint32, e *keyEntry[T], priority int32) {
	if priority > e.Val.priority {
		l.unlink(slot, e.Val.place)
		e.Val.priority = priority
		l.append(slot, e)
	}
}

func (l *fairLine[T]) done(owner uint32) {
	t := &l.tenants.At(owner).Val
	t.held--
	l.held--
	for id := t.flows; id != 0; id = l.flows.at(id - 1).sibling {
		if f := l.flows.at(id - 1); f.over { // it has waited longer than those whose turn has not come yet
			f.over = false
			c := l.classes.at(f.class)
			c.over.remove(l.flowLinks, id-1)
			c.turns.pushFront(l.flowLinks, id-1)
		}
	}
	if t.held == 0 && t.flows == 0 {
		l.tenants.Remove(owner)
	}
}

// flow returns the flow of a tenant in the class of a priority, and makes it if need be.
func (l *fairLine[T]) flow(owner uint32, priority int32) uint32 {
	t := &l.tenants.At(owner).Val
	for id := t.flows; id != 0; id = l.flows.at(id - 1).sibling {
		if l.flows.at(id-1).priority == priority {
			return id - 1
		}
	}
	c := l.class(priority)
	id := l.flows.add()
	*l.flows.at(id) = flow{class: c, tenant: owner, priority: priority, sibling: t.flows}
	t.flows = id + 1
	l.flowLinks = linksFor(l.flowLinks, id)
	l.classes.at(c).turns.pushBack(l.flowLinks, id)
	return id
}

func (l *fairLine[T]) dropFlow(id uint32) {
	f := l.flows.at(id)
	next := &l.tenants.At(f.tenant).Val.flows
	for *next != id+1 {
		next = &l.flows.at(*next - 1).sibling
	}
	*next = f.sibling
	c := l.classes.at(f.class)
	if f.over {
		c.over.remove(l.flowLinks, id)
	} else {
		c.turns.remove(l.flowLinks, id)
	}
	if c.turns.empty() && c.over.empty() {
		l.dropClass(f.class)
	}
	l.flows.remove(id)
}

// class returns the class of a priority, and makes it if need be.
func (l *fairLine[T]) class(priority int32) uint32 {
	i, found := l.find(priority)
	if found {
		return l.order[i]
	}
	id := l.classes.add()
	*l.classes.at(id) = class{priority: priority}
	if len(l.order) == 1 { // alone, it had every turn
		l.waits.Set(l.order[0], l.turn+l.patience)
	}
	l.order = slices.Insert(l.order, i, id)
	l.waits.Set(id, l.turn+l.patience)
	return id
}

func (l *fairLine[T]) dropClass(id uint32) {
	i, _ := l.find(l.classes.at(id).priority)
	l.order = slices.Delete(l.order, i, i+1)
	l.waits.Remove(id)
	l.classes.remove(id)
}

func (l *fairLine[T]) find(priority int32) (i int, found bool) {
	return slices.BinarySearchFunc(l.order, priority, func(id uint32, p int32) int {
		return cmp.Compare(l.classes.at(id).priority, p)
	})
}

// trim gives memory back when nothing waits.
func (l *fairLine[T]) trim() {
	if l.n > 0 {
		return
	}
	l.flows.trim()
	l.classes.trim()
	if cap(l.keyLinks) > 2*keepKeys {
		l.keyLinks = nil
	}
	if cap(l.flowLinks) > 2*keepKeys {
		l.flowLinks = nil
	}
}
