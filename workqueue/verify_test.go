package workqueue

import (
	"errors"
	"fmt"
	"math"

	"vedette.dev/workqueue/internal/slotmap"
)

// verify checks what must hold of a queue whenever no goroutine is inside one of its methods.
func (q *Typed[T]) verify() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, busy := 0, 0
	var faults []error
	q.keys.Range(0, math.MaxUint32, func(slot uint32, e *keyEntry[T]) {
		switch k := e.Val; {
		case k.processing:
			busy++
			if int(k.place) >= len(q.keys.busy) || q.keys.busy[k.place] != slot {
				faults = append(faults, fmt.Errorf("key %v is processing, but busy[%d] is not its slot %d", e.Key, k.place, slot))
			}
		case k.dirty:
			waiting++
		default:
			faults = append(faults, fmt.Errorf("key %v is neither dirty nor processing, but known", e.Key))
		}
	})
	if q.ready.len() != waiting || len(q.keys.busy) != busy {
		faults = append(faults, fmt.Errorf("ready %d, busy %d; want %d, %d", q.ready.len(), len(q.keys.busy), waiting, busy))
	}
	if q.waking && q.asleep == 0 {
		faults = append(faults, errors.New("a worker is waking, but none is asleep"))
	}
	if waiting > 0 && q.asleep > 0 && !q.waking {
		faults = append(faults, fmt.Errorf("%d keys wait and %d workers sleep, but none is waking", waiting, q.asleep))
	}
	if q.draining && !q.closed || q.closed != q.closing.Load() {
		faults = append(faults, fmt.Errorf("draining %v, closed %v, closing %v", q.draining, q.closed, q.closing.Load()))
	}
	if l, ok := q.ready.(*fairReady[T]); ok {
		faults = append(faults, l.verify(&q.keys))
	}
	return errors.Join(faults...)
}

// verify checks what must hold of a delayer at rest: no goroutine is delivering or calling a limiter.
func (d *delayer[T]) verify() error {
	now := d.clock.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	first := int64(never)
	var faults []error
	d.wait.keys.Range(0, math.MaxUint32, func(slot uint32, e *slotmap.Entry[T, delayed]) {
		at := d.wait.wakeUp(slot)
		first = min(first, at)
		if at == never {
			faults = append(faults, fmt.Errorf("key %v never wakes up: %+v", e.Key, e.Val))
		}
		if !e.Val.pending && e.Val.backoffEnd != at {
			faults = append(faults, fmt.Errorf("key %v wakes at %d, its window ends at %d", e.Key, at, e.Val.backoffEnd))
		}
	})
	if n := d.wait.wakeUps.Len(); n != d.wait.keys.Len() {
		faults = append(faults, fmt.Errorf("%d wake-ups, %d keys", n, d.wait.keys.Len()))
	}
	if d.timerAt > first && first > now && !d.delivering && !d.closed {
		faults = append(faults, fmt.Errorf("the timer is set for %d, but a key wakes up at %d", d.timerAt, first))
	}
	if d.closed && d.wait.keys.Len() != 0 {
		faults = append(faults, fmt.Errorf("closed with %d keys", d.wait.keys.Len()))
	}
	return errors.Join(faults...)
}
