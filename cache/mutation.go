package cache

import (
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// mutation is what a MutationCache remembers of a key.
type mutation struct {
	obj     any
	uid     types.UID
	version uint64
	ordered bool // the version can be compared
	deleted bool
}

func mutationOf(obj any) mutation {
	m := mutation{obj: obj}
	meta, err := metaOf(obj)
	if err != nil {
		return m
	}
	m.uid = meta.GetUID()
	if text := meta.GetResourceVersion(); text == "" {
		m.ordered = true
	} else if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		m.version, m.ordered = v, true
	}
	return m
}

// newerThan is false where it cannot be told.
func (m mutation) newerThan(other mutation) bool {
	return m.ordered && other.ordered && m.version > other.version
}

// outdatedBy tells whether an object that the server sent makes what was remembered obsolete. An opaque version does: the
// server is believed.
func (m mutation) outdatedBy(sent mutation) bool { return !m.newerThan(sent) }

func (c *mutationCache) Mutation(obj interface{}) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "A mutation without a key is not remembered")
		return
	}
	m := mutationOf(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.find(key); ok && old.supersedes(m) {
		return
	}
	c.recent.Add(key, m, c.options.TTL)
}

// supersedes tells whether what is remembered should stay, though another mutation comes.
func (m mutation) supersedes(next mutation) bool {
	if m.newerThan(next) {
		return true
	}
	// Of an object that is known to be deleted no state is current.
	return m.deleted && (m.uid == next.uid || m.ordered && next.ordered && m.version == next.version)
}

// OnAddOrUpdate forgets what is remembered if the store has now something as new.
func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "An object without a key was added or updated")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.find(key); ok && m.outdatedBy(mutationOf(obj)) {
		c.recent.Remove(key)
	}
}

// OnDelete forgets what is remembered of an object that was deleted, and remembers the deletion, so that a mutation that
// is reported late does not bring it back. A newer object of the same name stays.
func (c *mutationCache) OnDelete(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "An object without a key was deleted")
		return
	}
	gone := mutationOf(obj)
	gone.obj, gone.deleted = nil, true
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.find(key); ok && !m.outdatedBy(gone) && m.uid != gone.uid {
		return
	}
	c.recent.Add(key, gone, c.options.TTL)
}
