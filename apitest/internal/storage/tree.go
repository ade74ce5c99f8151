package storage

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
)

// leafSize limits what one write copies, besides the list of leaves: some 4 KB each with 100,000 objects.
const leafSize = 512

// tree is a sorted set of items with copy-on-write. It is a value: a snapshot is a copy of it, and costs nothing. The
// copy and the original share leaves, so a change first copies what the tree does not own. Without snapshots nothing is
// copied.
//
// Invariant: keys grow strictly along the leaves; no leaf is empty or longer than leafSize; size is their sum.
// Invariant: a leaf or a list of leaves that two trees share is owned by neither.
type tree struct {
	leaves []*leaf
	size   int
	// owner is the identity under which leaves can be changed in place, and the list if listOwner is the same. Nil is
	// one, too.
	owner, listOwner *owner
}

type leaf struct {
	items []*Item
	owner *owner
}

// owner is identified by its address.
type owner struct{ _ byte }

// snapshot returns a copy. Neither of the two owns anything then.
func (t *tree) snapshot() tree {
	t.owner = new(owner)
	copied := *t
	copied.owner = new(owner)
	return copied
}

// find returns the position of key, or where it would be inserted.
func (t *tree) find(key string) (l, index int, found bool) {
	// The leaf is the last one that begins at or before the key.
	l = sort.Search(len(t.leaves), func(i int) bool { return t.leaves[i].items[0].Key > key }) - 1
	if l < 0 {
		return 0, 0, false
	}
	index, found = slices.BinarySearchFunc(t.leaves[l].items, key, func(item *Item, key string) int {
		return strings.Compare(item.Key, key)
	})
	return l, index, found
}

func (t *tree) get(key string) *Item {
	if l, i, found := t.find(key); found {
		return t.leaves[l].items[i]
	}
	return nil
}

// set inserts item, or replaces the one with the same key.
func (t *tree) set(item *Item) {
	if len(t.leaves) == 0 {
		t.leaves, t.listOwner = []*leaf{{items: []*Item{item}, owner: t.owner}}, t.owner
		t.size = 1
		return
	}
	l, i, found := t.find(item.Key)
	own := t.own(l)
	if found {
		own.items[i] = item
		return
	}
	t.size++
	if len(own.items) < leafSize {
		own.items = slices.Insert(own.items, i, item)
		return
	}
	// Names are often inserted in order: then the leaves stay full.
	at := len(own.items) / 2
	if i == len(own.items) {
		at = i
	}
	right := &leaf{items: slices.Clone(own.items[at:]), owner: t.owner}
	own.items = slices.Clone(own.items[:at])
	t.leaves = slices.Insert(t.leaves, l+1, right)
	if i >= at {
		own, i = right, i-at
	}
	own.items = slices.Insert(own.items, i, item)
}

// remove removes the item with that key.
func (t *tree) remove(key string) {
	l, i, found := t.find(key)
	if !found {
		return
	}
	t.size--
	own := t.own(l)
	if len(own.items) == 1 {
		t.leaves = slices.Delete(t.leaves, l, l+1)
		return
	}
	own.items = slices.Delete(own.items, i, i+1)
}

// own makes the list and a leaf in it writable.
func (t *tree) own(l int) *leaf {
	if t.listOwner != t.owner {
		t.leaves, t.listOwner = slices.Clone(t.leaves), t.owner
	}
	if t.leaves[l].owner != t.owner {
		t.leaves[l] = &leaf{items: slices.Clone(t.leaves[l].items), owner: t.owner}
	}
	return t.leaves[l]
}

// from returns the items with keys at or after key.
func (t *tree) from(key string) iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		l, i, _ := t.find(key)
		for ; l < len(t.leaves); l++ {
			for _, item := range t.leaves[l].items[i:] {
				if !yield(item) {
					return
				}
			}
			i = 0
		}
	}
}

// rank returns the number of keys before key.
func (t *tree) rank(key string) int {
	l, rank, _ := t.find(key)
	for _, before := range t.leaves[:min(l, len(t.leaves))] {
		rank += len(before.items)
	}
	return rank
}

func (t *tree) verify() error {
	count, last := 0, ""
	for l, leaf := range t.leaves {
		if len(leaf.items) == 0 || len(leaf.items) > leafSize {
			return fmt.Errorf("leaf %d has %d items", l, len(leaf.items))
		}
		for _, item := range leaf.items {
			if count > 0 && item.Key <= last {
				return fmt.Errorf("key %q comes after %q", item.Key, last)
			}
			last = item.Key
			count++
		}
	}
	if count != t.size {
		return fmt.Errorf("%d items, and a size of %d", count, t.size)
	}
	return nil
}
