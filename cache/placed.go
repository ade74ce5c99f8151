package cache

import "fmt"

// PartitionIndex is the index by which the store of a PartitionedInformer finds the objects of a partition. It is the machine
// that says where an object is, and not a function of the object.
const PartitionIndex = "partition"

// newPlacedCache returns a store whose objects have a home each: their one value in PartitionIndex. It is written with
// commitPlaced alone.
func newPlacedCache(indexers Indexers) (*cache, error) {
	if _, taken := indexers[PartitionIndex]; taken {
		return nil, fmt.Errorf("cache: SharedIndexInformerOptions.Indexers has %q, which the informer fills itself", PartitionIndex)
	}
	t := newTable(nil)
	homes := func(obj any) ([]string, error) {
		key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
		if err != nil {
			return nil, KeyError{obj, err}
		}
		if home, ok := t.homeOf(key); ok {
			return []string{home}, nil
		}
		return nil, nil
	}
	set, err := newIndexSet(Indexers{PartitionIndex: homes}).with(indexers)
	if err != nil {
		return nil, err
	}
	t.indexers.Store(set)
	t.ready = len(set.funcs)
	t.adopt(newContents(len(set.funcs), 0))
	return &cache{table: t, keyFunc: DeletionHandlingMetaNamespaceKeyFunc}, nil
}

// placement is one of several writes that are done in one step.
type placement struct {
	what transition
	key  string
	// What follows is of an object that is put: values are those in each index, of which the first is the home.
	obj    any
	values [][]string
	home   string // of one that is moved
}

type transition uint8

const (
	putAway transition = iota
	moveAway
	takeAway
)

// commitPlaced does all steps in one. The values are of all indexes that there are. It calls no index functions: of an object that
// only moves they say what they have said before.
func (t *table) commitPlaced(steps []placement) {
	if len(steps) == 0 {
		return
	}
	t.mu.lock()
	defer t.mu.Unlock()
	t.sharing.begin()
	if len(steps) > 1 {
		t.writing.beginAll()
		defer t.writing.endAll()
	}
	for i := range steps {
		switch s := &steps[i]; s.what {
		case putAway:
			t.contents.put(s.key, s.obj, s.values)
		case moveAway:
			t.contents.move(s.key, s.home)
		case takeAway:
			t.contents.remove(s.key)
		}
	}
}

// move gives an entry another value in the first index, in which it has one.
func (c *contents) move(key, home string) {
	e := c.keys.find(key)
	if e == nil || e.filed[0].posting.value == home {
		return
	}
	c.unfile(e.filed[0])
	e.filed[0] = c.indexes[0].add(0, home, e.slot, c.share)
}

// placed returns the object under a key and its home.
func (t *table) placed(key string) (obj any, home string, ok bool) {
	t.mu.rlock()
	defer t.mu.RUnlock()
	e := t.keys.find(key)
	if e == nil {
		return nil, "", false
	}
	return e.obj.read().object(), e.filed[0].posting.value, true
}

func (t *table) homeOf(key string) (string, bool) {
	_, home, ok := t.placed(key)
	return home, ok
}

// inhabitants is how many objects have a home.
func (t *table) inhabitants(home string) int {
	v, err := t.byIndex(PartitionIndex, home)
	if err != nil {
		return 0
	}
	defer v.release()
	return v.n
}
