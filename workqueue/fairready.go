package workqueue

import (
	"cmp"
	"slices"

	"vedette.dev/internal/keyhash"
	"vedette.dev/workqueue/internal/dueheap"
	"vedette.dev/workqueue/internal/slotmap"
)

// fairReady orders keys by priority and tenant. Its parts:
//
//	classes   one for each priority that has ready keys
//	 └ flows  one for each tenant with keys in the class; they take turns
//	    └ a chain of slots, first in, first out
//
// Time is counted in turns: one pop is one turn. Push and pop take the same time whatever the number of keys and tenants;
// they take longer the more priorities one tenant has keys of.
type fairReady[T comparable] struct {
	tenantOf func(T) string
	hasher   keyhash.Hasher[string]
	maxSkips int64

	// tenants holds those that have keys that are ready or processing.
	tenants slotmap.Map[string, tenant]
	classes slab[class]
	// order lists the classes by priority, highest last.
	order []uint32
	// waits ranks the classes by the turn that they get at the latest.
	waits     dueheap.Heap
	flows     slab[flow]
	flowLinks []link // by flow
	keyLinks  []link // by slot of the key

	turn   int64
	forced bool // the last turn went to a class that had been skipped maxSkips times
	n      int  // keys that are ready
	held   int  // keys that are processing
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

func newFairReady[T comparable](tenantOf func(T) string, maxSkips int) *fairReady[T] {
	return &fairReady[T]{
		tenantOf: tenantOf,
		hasher:   keyhash.New[string]("workqueue: tenant"),
		tenants:  slotmap.New[string, tenant](keepKeys / 10),
		maxSkips: int64(maxSkips),
	}
}

func (r *fairReady[T]) len() int { return r.n }

func (r *fairReady[T]) push(slot uint32, e *keyEntry[T]) {
	if !e.Val.processing { // else it comes back from a worker, and its tenant is known
		e.Val.tenant = r.tenant(r.tenantOf(e.Key))
	}
	r.append(slot, e)
	r.n++
}

// tenant returns the tenant of a name, and creates it if there is none.
func (r *fairReady[T]) tenant(name string) uint32 {
	hash := r.hasher.Hash(name)
	id, _, _ := r.tenants.Ensure(hash, name)
	return id
}

// append puts a key at the end of the flow of its tenant and priority.
func (r *fairReady[T]) append(slot uint32, e *keyEntry[T]) {
	id := r.flow(e.Val.tenant, e.Val.priority)
	r.keyLinks = linksFor(r.keyLinks, slot)
	r.flows.at(id).keys.pushBack(r.keyLinks, slot)
	e.Val.place = id
}

// unlink takes a key out of its flow, and the flow away if it is empty.
func (r *fairReady[T]) unlink(slot, id uint32) {
	f := r.flows.at(id)
	f.keys.remove(r.keyLinks, slot)
	if f.keys.empty() {
		r.dropFlow(id)
	}
}

func (r *fairReady[T]) pop() (slot uint32, item T) {
	r.turn++
	id := r.nextFlow(r.classes.at(r.nextClass()))
	f := r.flows.at(id)
	slot = f.keys.first()
	r.tenants.At(f.tenant).Val.held++
	r.held++
	r.n--
	r.unlink(slot, id)
	r.trim()
	return slot, item
}

// nextClass returns the highest class, unless another was skipped maxSkips times.
func (r *fairReady[T]) nextClass() uint32 {
	next := r.order[len(r.order)-1]
	if len(r.order) > 1 && !r.forced {
		if c, end, _ := r.waits.Min(); end <= r.turn {
			r.forced = c != next
			next = c
		}
	} else {
		r.forced = false
	}
	if len(r.order) > 1 {
		r.waits.Set(next, r.turn+r.maxSkips)
	}
	return next
}

// nextFlow returns the first flow whose tenant occupies fewer workers than its share; if there is none, the first of the
// others. The flow goes to the end of the turns.
func (r *fairReady[T]) nextFlow(c *class) (id uint32) {
	for !c.turns.empty() {
		id = c.turns.first()
		f := r.flows.at(id)
		c.turns.remove(r.flowLinks, id)
		if r.tenants.At(f.tenant).Val.held < r.share() {
			c.turns.pushBack(r.flowLinks, id)
			return id
		}
		f.over = true
		c.over.pushBack(r.flowLinks, id)
	}
	id = c.over.first()
	r.flows.at(id).over = false
	c.over.remove(r.flowLinks, id)
	c.turns.pushBack(r.flowLinks, id)
	return id
}

// share returns the number of workers that a tenant may occupy while others wait. It is never less than two, so that one
// key that hangs does not stop the rest of its tenant.
func (r *fairReady[T]) share() int {
	tenants := r.tenants.Len()
	if r.held < 2*tenants {
		return 2
	}
	return (r.held + tenants) / tenants // (held+1)/tenants, rounded up
}

// touch raises the priority of a ready key: it goes to the end of its new class.
func (r *fairReady[T]) touch(slot uint32, e *keyEntry[T], priority int32) {
	if priority > e.Val.priority {
		r.unlink(slot, e.Val.place)
		e.Val.priority = priority
		r.append(slot, e)
	}
}

func (r *fairReady[T]) done(owner uint32) {
	t := &r.tenants.At(owner).Val
	t.held--
	r.held--
	for id := t.flows; id != 0; id = r.flows.at(id - 1).sibling {
		if f := r.flows.at(id - 1); f.over { // it has waited longer than those whose turn has not come yet
			f.over = false
			c := r.classes.at(f.class)
			c.over.remove(r.flowLinks, id-1)
			c.turns.pushFront(r.flowLinks, id-1)
		}
	}
	if t.held == 0 && t.flows == 0 {
		r.tenants.Remove(owner)
	}
}

// flow returns the flow of a tenant in the class of a priority, and creates it if there is none.
func (r *fairReady[T]) flow(owner uint32, priority int32) uint32 {
	t := &r.tenants.At(owner).Val
	for id := t.flows; id != 0; id = r.flows.at(id - 1).sibling {
		if r.flows.at(id-1).priority == priority {
			return id - 1
		}
	}
	c := r.class(priority)
	id := r.flows.add()
	*r.flows.at(id) = flow{class: c, tenant: owner, priority: priority, sibling: t.flows}
	t.flows = id + 1
	r.flowLinks = linksFor(r.flowLinks, id)
	r.classes.at(c).turns.pushBack(r.flowLinks, id)
	return id
}

func (r *fairReady[T]) dropFlow(id uint32) {
	f := r.flows.at(id)
	next := &r.tenants.At(f.tenant).Val.flows
	for *next != id+1 {
		next = &r.flows.at(*next - 1).sibling
	}
	*next = f.sibling
	c := r.classes.at(f.class)
	if f.over {
		c.over.remove(r.flowLinks, id)
	} else {
		c.turns.remove(r.flowLinks, id)
	}
	if c.turns.empty() && c.over.empty() {
		r.dropClass(f.class)
	}
	r.flows.remove(id)
}

// class returns the class of a priority, and creates it if there is none.
func (r *fairReady[T]) class(priority int32) uint32 {
	i, found := r.find(priority)
	if found {
		return r.order[i]
	}
	id := r.classes.add()
	*r.classes.at(id) = class{priority: priority}
	if len(r.order) == 1 { // alone, it had every turn
		r.waits.Set(r.order[0], r.turn+r.maxSkips)
	}
	r.order = slices.Insert(r.order, i, id)
	r.waits.Set(id, r.turn+r.maxSkips)
	return id
}

func (r *fairReady[T]) dropClass(id uint32) {
	i, _ := r.find(r.classes.at(id).priority)
	r.order = slices.Delete(r.order, i, i+1)
	r.waits.Remove(id)
	r.classes.remove(id)
}

func (r *fairReady[T]) find(priority int32) (i int, found bool) {
	return slices.BinarySearchFunc(r.order, priority, func(id uint32, p int32) int {
		return cmp.Compare(r.classes.at(id).priority, p)
	})
}

// trim frees memory when no key is ready.
func (r *fairReady[T]) trim() {
	if r.n > 0 {
		return
	}
	r.flows.trim()
	r.classes.trim()
	if cap(r.keyLinks) > 2*keepKeys {
		r.keyLinks = nil
	}
	if cap(r.flowLinks) > 2*keepKeys {
		r.flowLinks = nil
	}
}
