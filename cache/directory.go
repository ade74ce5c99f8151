package cache

import (
	"hash/maphash"
	"sync"
)

// shards is into how many maps the keys are split. Each has a lock of its own, which is all that Get takes.
//
// A writer holds the lock of one shard just long enough to put an object in, while all that takes longer, indexes above
// all, happens under the lock of the table. So Get and the writer seldom meet. Plain mutexes do better here than
// read-write locks: for what little happens under them nobody goes to sleep, while a writer that sleeps for a read-write
// lock keeps out all readers until it has been woken and found a processor.
const shards = 32

// directory finds entries by key. It is changed under the lock of the table, and where a guard is set, which is so if
// there are readers, under that of the shard as well.
type directory struct {
	seed   maphash.Seed
	shards [shards]lookup[*entry]
	guard  *guard
	// batch is what readers are to see all at once, nil if each change is to be seen at once.
	batch *changes
}

// changes are waiting for commit.
type changes struct {
	list []change
	// keys are those that come or go, so that later changes know.
	keys map[string]*entry
}

// change puts an object into an entry and the entry into its shard, or takes it out.
type change struct {
	shard int
	e     *entry
	obj   any
	gone  bool
}

// guard has the locks of the shards.
type guard struct {
	locks [shards]struct {
		sync.Mutex
		_ [56]byte // keeps two locks off one cache line
	}
}

func newDirectory(seed maphash.Seed, room int) directory {
	d := directory{seed: seed}
	if room >= shards {
		for i := range d.shards {
			d.shards[i].reserve(room / shards)
		}
	}
	return d
}

func shardOf(seed maphash.Seed, key string) int { return int(maphash.String(seed, key) % shards) }

// find returns the entry for a key, or nil, and the shard it is or would be in.
func (d *directory) find(key string) (*entry, int) {
	i := shardOf(d.seed, key)
	if d.batch != nil {
		if e, ok := d.batch.keys[key]; ok {
			return e, i
		}
	}
	return d.shards[i].m[key], i
}

// put adds an entry.
func (d *directory) put(shard int, e *entry) {
	if d.batch != nil {
		d.batch.keys[e.key] = e
	}
	d.do(change{shard: shard, e: e, obj: e.obj})
}

// set changes the object of an entry.
func (d *directory) set(shard int, e *entry, obj any) { d.do(change{shard: shard, e: e, obj: obj}) }

// remove takes an entry out.
func (d *directory) remove(shard int, e *entry) {
	if d.batch != nil {
		d.batch.keys[e.key] = nil
	}
	d.do(change{shard: shard, e: e, gone: true})
}

func (d *directory) do(c change) {
	switch {
	case d.batch != nil:
		d.batch.list = append(d.batch.list, c)
	case d.guard == nil:
		d.apply(c)
	default:
		d.guard.locks[c.shard].Lock()
		d.apply(c)
		d.guard.locks[c.shard].Unlock()
	}
}

func (d *directory) apply(c change) {
	m := &d.shards[c.shard]
	if c.gone {
		m.remove(c.e.key)
		return
	}
	c.e.obj = c.obj
	if !c.e.listed {
		c.e.listed = true
		m.put(c.e.key, c.e)
	}
}

// begin has changes wait for commit.
func (d *directory) begin(count int) {
	d.batch = &changes{list: make([]change, 0, count), keys: map[string]*entry{}}
}

// commit lets readers see all changes since begin at once. Only this is what they wait for, not the filing in indexes.
func (d *directory) commit() {
	list := d.batch.list
	d.batch = nil
	d.guard.lockAll()
	for _, c := range list {
		d.apply(c)
	}
	d.guard.unlockAll()
}

func (d *directory) len() int {
	n := 0
	for i := range d.shards {
		n += len(d.shards[i].m)
	}
	return n
}

func (g *guard) lockAll() {
	for i := range g.locks {
		g.locks[i].Lock()
	}
}

func (g *guard) unlockAll() {
	for i := range g.locks {
		g.locks[i].Unlock()
	}
}
