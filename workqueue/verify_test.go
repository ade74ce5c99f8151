package workqueue

import (
	"errors"
	"fmt"
	"math"

	"vedette.dev/internal/slotmap"
)

// verify checks what must hold of a queue whenever nobody is inside one of its methods.
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
	if q.line.len() != waiting || len(q.keys.busy) != busy {
		faults = append(faults, fmt.Errorf("line %d, busy %d; want %d, %d", q.line.len(), len(q.keys.busy), waiting, busy))
	}
	if q.waking < 0 || q.waking > q.asleep {
		faults = append(faults, fmt.Errorf("%d waking of %d asleep", q.waking, q.asleep))
	}
	if waiting > 0 && q.asleep > 0 && q.waking == 0 {
		faults = append(faults, fmt.Errorf("%d keys wait and %d workers sleep, but none is waking", waiting, q.asleep))
	}
	if q.draining && !q.closed || q.closed != q.closing.Load() {
		faults = append(faults, fmt.Errorf("draining %v, closed %v, closing %v", q.draining, q.closed, q.closing.Load()))
	}
	if l, ok := q.line.(*fairLine[T]); ok {
		faults = append(faults, l.verify(&q.keys))
	}
	return errors.Join(faults...)
}

// verify checks what must hold of a delayer at rest: nobody is delivering or asking a limiter.
func (d *delayer[T]) verify() error {
	now := d.clock.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.takeIn()
	pending, first := 0, int64(never)
	var faults []error
	d.wait.keys.Range(0, math.MaxUint32, func(slot uint32, e *slotmap.Entry[T, delayed]) {
		at := e.Val.wakeUp()
		first = min(first, at)
		if e.Val.pending {
			pending++
		}
		if at == never {
			faults = append(faults, fmt.Errorf("key %v never wakes up: %+v", e.Key, e.Val))
		}
		if !e.Val.pending && e.Val.backoffEnd != at {
			faults = append(faults, fmt.Errorf("key %v wakes at %d, its window ends at %d", e.Key, at, e.Val.backoffEnd))
		}
	})
	if d.wait.pending != pending {
		faults = append(faults, fmt.Errorf("%d pending, counted %d", d.wait.pending, pending))
	}
	if n := d.wait.wheel.Len(); n != d.wait.keys.Len() {
		faults = append(faults, fmt.Errorf("%d in the wheel, %d keys", n, d.wait.keys.Len()))
	}
	if next := d.intake.next.Load(); next > first {
		faults = append(faults, fmt.Errorf("next is %d, but a key wakes up at %d", next, first))
	}
	if d.alarmAt > first && first > now && !d.delivering.Load() && !d.closed {
		faults = append(faults, fmt.Errorf("the alarm is set for %d, but a key wakes up at %d", d.alarmAt, first))
	}
	if d.closed && d.wait.keys.Len() != 0 {
		faults = append(faults, fmt.Errorf("closed with %d keys", d.wait.keys.Len()))
	}
	return errors.Join(faults...)
}
