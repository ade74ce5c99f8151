package cache

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// mailbox is what streams have brought and the store has not got yet: of each key the newest state, not decoded. There is a
// tray for each partition, which is emptied by a goroutine of its own.
//
// A key is in one tray at a time. What comes while the key is in hand goes to the same tray, whichever it is for, so that
// nobody is overtaken; so does what comes while another state of the key waits, in the place of which it is put.
type mailbox struct {
	buffers sync.Pool
	mu      sync.Mutex
	// Invariant: the letters of a key that wait or are in hand. One that waits is in its tray; one in hand may have a next.
	letters lookup[*letter]
}

// letter is what is known of a key.
type letter struct {
	key    string // with the prefix of the stream
	bare   string // without
	what   watch.EventType
	id     stamp
	raw    *rest.Raw // of its own; nil if obj is there
	obj    any
	stream *Stream
	epoch  uint64
	at     time.Time // when the first of those that went into this one came

	// to is the partition it is for, as the routes say that by is; nil if that has not been looked at.
	to *partition
	by *routes
	// err says why the object cannot be read.
	err error
	// values are those of the object in the indexes, with room for its home, and indexErr says which function failed.
	values   [][]string
	indexErr error
	// size is that of the object as it came.
	size int64
	// stored is, in a list, the object that the store has in the same version, but that something may have written to.
	stored any
	// replaced says, in a list, that the object came again.
	replaced bool

	// beneath is a deletion that another stream has told of, and that counts if this letter does not.
	beneath *letter

	tray   *tray
	inHand bool
	next   *letter // what came while it was in hand
}

// largestBuffer is what is worth keeping.
const largestBuffer = 64 << 10

// buffer is for the bytes of a letter.
func (m *mailbox) buffer() []byte {
	if kept, ok := m.buffers.Get().(*[]byte); ok {
		return *kept
	}
	return nil
}

// recycle lets others have the bytes of letters that nobody looks at any more: decoding has copied what it keeps.
func (m *mailbox) recycle(letters []*letter) {
	for _, l := range letters {
		if l.raw != nil && cap(l.raw.Bytes) <= largestBuffer {
			buffer := l.raw.Bytes
			l.raw = nil
			m.buffers.Put(&buffer)
		}
	}
}

// tray is the letters for one partition, first come, first served.
type tray struct {
	letters line[*letter]
	some    *sync.Cond // there are letters, or it was closed
	room    *sync.Cond // letters were taken, or it was closed
	closed  bool
	merged  uint64 // how many letters took the place of another
}

func newMailbox() *mailbox { return &mailbox{letters: newLookup[*letter](0)} }

func (m *mailbox) newTray() *tray {
	return &tray{some: sync.NewCond(&m.mu), room: sync.NewCond(&m.mu)}
}

// put adds a letter to a tray. If most is not zero, it waits while so many letters are in the tray, unless stop is set
// meanwhile and the tray woken: then it goes on, so that nothing is dropped. It returns false if the tray is closed.
func (m *mailbox) put(l *letter, t *tray, most int, stop func() bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for most > 0 && t.letters.len() >= most && !t.closed && !stop() {
		t.room.Wait()
	}
	before := m.letters.m[l.key]
	switch {
	case before == nil && t.closed:
		return false
	case before == nil:
		m.push(l, t)
	case !before.inHand:
		before.merge(l)
	case before.next == nil:
		before.next = l
	default:
		before.next.merge(l)
	}
	return true
}

func (m *mailbox) push(l *letter, t *tray) {
	l.tray = t
	m.letters.put(l.key, l)
	t.letters.push(l)
	if t.letters.len() == 1 {
		t.some.Signal()
	}
}

// merge makes a letter that waits say what a newer one says.
func (l *letter) merge(n *letter) {
	if l.tray != nil {
		l.tray.merged++
	}
	if !n.supersedes(l) {
		l.keepBeneath(n)
		return
	}
	if n.stream != l.stream {
		before := *l
		l.keepBeneath(&before)
	}
	l.what, l.id, l.raw, l.obj, l.stream, l.epoch = n.what, n.id, n.raw, n.obj, n.stream, n.epoch
	l.to, l.by = n.to, n.by
}

// keepBeneath keeps a letter that counts for less than l if it is a deletion of another stream. It may be all that is ever told of it: l
// does not count any more when its stream has brought a list.
func (l *letter) keepBeneath(older *letter) {
	if older.what != watch.Deleted {
		return
	}
	at := &l.beneath
	for *at != nil && (*at).stream != older.stream {
		at = &(*at).beneath
	}
	if *at != nil { // the last one of each stream is enough
		*at = (*at).beneath
	}
	older.beneath, older.tray, older.next = l.beneath, nil, nil
	l.beneath = older
}

// supersedes tells whether a letter is newer than one that came before. Within a stream what comes later is. Of two streams
// one may be behind: then versions tell, and an object that left one of them for the other is there.
func (l *letter) supersedes(before *letter) bool {
	if l.stream == before.stream {
		return true
	}
	order, known := compareVersions(l.id.version, before.id.version)
	switch {
	case !known:
		return true
	case order == 0:
		return l.what != watch.Deleted
	}
	return order > 0
}

// compareVersions tells which of two resource versions is older, if that can be told.
func compareVersions(a, b string) (order int, known bool) {
	if a == b {
		return 0, true
	}
	x, err := strconv.ParseUint(a, 10, 64)
	if err != nil {
		return 0, false
	}
	y, err := strconv.ParseUint(b, 10, 64)
	if err != nil {
		return 0, false
	}
	if x < y {
		return -1, true
	}
	return 1, true
}

// take waits until there are letters, and takes some. It returns none when the tray is closed and empty.
func (m *mailbox) take(t *tray, most int) []*letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t.letters.len() == 0 && !t.closed {
		t.some.Wait()
	}
	n := min(most, t.letters.len())
	if n == 0 {
		return nil
	}
	out := make([]*letter, n)
	copy(out, t.letters.all())
	t.letters.drop(n)
	for _, l := range out {
		l.inHand = true
	}
	t.room.Broadcast()
	return out
}

// done gives letters back that are dealt with.
func (m *mailbox) done(letters []*letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range letters {
		if next := l.next; next != nil {
			m.push(next, l.tray)
		} else {
			m.letters.remove(l.key)
		}
	}
}

// holds tells whether something of a key has not been dealt with.
func (m *mailbox) holds(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.letters.m[key] != nil
}

// streams returns the streams of all that has not been dealt with.
func (m *mailbox) streams() map[*Stream]struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[*Stream]struct{}{}
	for _, l := range m.letters.m {
		for _, first := range []*letter{l, l.next} {
			for at := first; at != nil; at = at.beneath {
				out[at.stream] = struct{}{}
			}
		}
	}
	return out
}

// close lets those go on who wait at a tray. Its letters can still be taken.
func (m *mailbox) close(t *tray) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.closed = true
	t.some.Broadcast()
	t.room.Broadcast()
}

// discard closes a tray and forgets what is in it.
func (m *mailbox) discard(t *tray) {
	m.close(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range t.letters.take() {
		m.letters.remove(l.key)
	}
}

// wake has those who wait at a tray for room look at their reason to stop.
func (m *mailbox) wake(t *tray) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.room.Broadcast()
}

// waiting is how many letters are in a tray, since when the first is, and how many were merged.
func (m *mailbox) waiting(t *tray) (n int, since time.Time, merged uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n = t.letters.len(); n > 0 {
		since = t.letters.all()[0].at
	}
	return n, since, t.merged
}
