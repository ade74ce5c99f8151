package pipeline

import (
	"math/rand/v2"
	"strconv"
)

// changes is what happens to objects after the first list, made beforehand.
type changes struct {
	events []thing // in the order in which they are sent
	final  []final // of each object
}

// final is a state as a handler sees it last: the version, and goneBit if the object was deleted.
type final uint32

const goneBit final = 1 << 31

func (t *thing) final() final {
	if t.gone {
		return final(t.number) | goneBit
	}
	return final(t.number)
}

// newChanges makes updates of objects at random, and spreads deletions over the second half of them. The versions go on
// after those of the objects.
func newChanges(objects []*thing, updates, deletions int) *changes {
	c := &changes{events: make([]thing, 0, updates+deletions), final: make([]final, len(objects))}
	alive := make([]int, len(objects))
	for i, o := range objects {
		alive[i], c.final[i] = i, o.final()
	}
	r := rand.New(rand.NewPCG(1, 2))
	half, gone := updates/2, 0
	for u := range updates {
		c.add(objects[alive[r.IntN(len(alive))]], len(objects), false)
		for u >= half && gone*(updates-half) < deletions*(u-half+1) {
			at := r.IntN(len(alive))
			c.add(objects[alive[at]], len(objects), true)
			alive[at] = alive[len(alive)-1]
			alive = alive[:len(alive)-1]
			gone++
		}
	}
	c.name()
	return c
}

func (c *changes) add(of *thing, count int, gone bool) {
	t := thing{ObjectMeta: of.ObjectMeta, number: uint32(count + len(c.events) + 1), index: of.index, gone: gone}
	c.events = append(c.events, t)
	c.final[t.index] = t.final()
}

// name sets the versions, which are all in one piece of memory.
func (c *changes) name() {
	var digits []byte
	ends := make([]int, len(c.events))
	for i := range c.events {
		digits = strconv.AppendUint(digits, uint64(c.events[i].number), 10)
		ends[i] = len(digits)
	}
	text, from := string(digits), 0
	for i := range c.events {
		c.events[i].version = text[from:ends[i]]
		from = ends[i]
	}
}
