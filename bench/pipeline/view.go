package pipeline

import "fmt"

// view is a handler that keeps what it has heard, and checks it: nothing is added twice, an update begins where the last
// call ended and leads to a newer version, nothing comes after a deletion. It is done when it has heard the last state of
// every object, or has something to complain about.
//
// Its fields belong to the informer until it is done, and after the informer has ended.
type view struct {
	seen []final // by object; 0 means never heard of
	want []final // the last states
	left int     // objects whose last state is still to come
	// chained has the old state of updates checked. Where all events are counted, that would say nothing more, and cost.
	chained bool
	// again allows updates that bring nothing new, as client-go makes them of a relist.
	again bool
	// heard, if set, is called with the state in each call that is not an addition.
	heard func(*thing)

	calls int // that were not additions
	err   error
	over  bool // done is closed
	done  chan struct{}
}

func newView(want []final) *view {
	return &view{seen: make([]final, len(want)), want: want, left: len(want), chained: true, done: make(chan struct{})}
}

// expect has the view wait for other last states. The informer must be quiet meanwhile.
func (v *view) expect(want []final) {
	v.want, v.left, v.over, v.done = want, 0, false, make(chan struct{})
	for i := range want {
		if v.seen[i] != want[i] {
			v.left++
		}
	}
	if v.left == 0 {
		v.finished()
	}
}

func (v *view) OnAdd(obj any, _ bool) {
	t := obj.(*thing)
	if v.seen[t.index] != 0 {
		v.fail(t, "is added, but was heard of before")
	}
	v.note(t, final(t.number))
}

func (v *view) OnUpdate(oldObj, newObj any) {
	t := newObj.(*thing)
	before := v.seen[t.index]
	if v.chained {
		if old := oldObj.(*thing); before != final(old.number) {
			v.fail(t, fmt.Sprintf("is updated from version %d, but %s was the last", old.number, before))
		}
	}
	if final(t.number) <= before && !(v.again && final(t.number) == before) {
		v.fail(t, fmt.Sprintf("is updated, but %s was the last", before))
	}
	v.change(t, final(t.number))
}

func (v *view) OnDelete(obj any) {
	t, ok := last(obj).(*thing)
	if !ok {
		v.complain(fmt.Errorf("a deletion of %v", obj))
		return
	}
	if before := v.seen[t.index]; before == 0 || before&goneBit != 0 {
		v.fail(t, "is deleted, but was not there")
	}
	v.change(t, final(t.number)|goneBit)
}

func (v *view) change(t *thing, now final) {
	v.calls++
	if v.heard != nil {
		v.heard(t)
	}
	v.note(t, now)
}

func (v *view) note(t *thing, now final) {
	before := v.seen[t.index]
	v.seen[t.index] = now
	if now == v.want[t.index] && now != before {
		if v.left--; v.left == 0 {
			v.finished()
		}
	}
}

func (v *view) fail(t *thing, what string) {
	v.complain(fmt.Errorf("%s/%s in version %d %s", t.Namespace, t.Name, t.number, what))
}

func (v *view) complain(err error) {
	if v.err == nil {
		v.err = err
	}
	v.finished()
}

// finished closes done, and touches nothing afterwards: who waits for it may give the view another task.
func (v *view) finished() {
	if !v.over {
		v.over = true
		close(v.done)
	}
}

// check returns an error for wrong calls. The informer must have ended.
func (v *view) check() error {
	if v.err != nil {
		return v.err
	}
	for i := range v.want {
		if v.seen[i] != v.want[i] {
			return fmt.Errorf("of object %d the handler heard %s last, want %s", i, v.seen[i], v.want[i])
		}
	}
	return nil
}

func (f final) String() string {
	if f&goneBit != 0 {
		return fmt.Sprintf("the deletion in version %d", uint32(f&^goneBit))
	}
	return fmt.Sprintf("version %d", uint32(f))
}

// checkStore compares a store with the last states.
func checkStore(s store, objects []*thing, want []final) error {
	there := 0
	for i, o := range objects {
		got, exists, err := s.GetByKey(o.Namespace + "/" + o.Name)
		if err != nil {
			return err
		}
		if gone := want[i]&goneBit != 0; gone == exists || exists && final(got.(*thing).number) != want[i] {
			return fmt.Errorf("object %d is %v in the store, want %s", i, got, want[i])
		}
		if exists {
			there++
		}
	}
	if n := len(s.ListKeys()); n != there {
		return fmt.Errorf("%d keys in the store, want %d", n, there)
	}
	return nil
}
