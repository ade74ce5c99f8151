package cache

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// turns has those who copy long lists from a table do so in turns, as many at a time as there were processors when the table was made.
// More would be no faster, and whoever has something to write would have to wait until each of them has had a processor for
// some milliseconds: a reader that waits for its turn takes none. During a turn nothing else is done than to copy: nobody's
// code is called that might want a turn itself.
type turns struct {
	next  atomic.Uint32
	slots []sync.Mutex
}

// longList is how many rows are worth waiting for one's turn.
const longList = 256

func newTurns() turns { return turns{slots: make([]sync.Mutex, runtime.GOMAXPROCS(0))} }

// try takes a turn if nobody has to be waited for. It returns nil otherwise. The turn ends when it is unlocked.
func (t *turns) try() *sync.Mutex {
	for i := range t.slots {
		if t.slots[i].TryLock() {
			return &t.slots[i]
		}
	}
	return nil
}

// wait waits for a turn. Those who wait for the same slot come in their order.
func (t *turns) wait() *sync.Mutex {
	slot := &t.slots[int(t.next.Add(1)%uint32(len(t.slots)))]
	slot.Lock()
	return slot
}

// inTurn waits until it is the turn of a view to be copied, if it is long and only copied. If it has to wait, it is then taken again: meanwhile the
// writer would have to leave alone what is in it.
func (v view) inTurn(again func() (view, error)) (view, error) {
	if v.n < longList || v.open != nil {
		return v, nil
	}
	turns := &v.share.turns
	if v.turn = turns.try(); v.turn != nil {
		return v, nil
	}
	v.release()
	turn := turns.wait()
	v, err := again()
	if err != nil {
		turn.Unlock()
		return view{}, err
	}
	v.turn = turn
	return v, nil
}
