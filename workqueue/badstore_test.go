package workqueue

import "testing"

// brokenStore is a user's Queue with faults.
type brokenStore struct {
	lifo[string]
	refuse bool
	pops   []string // what Pop returns, whatever is in the store
}

func (s *brokenStore) Push(item string) {
	if s.refuse {
		panic("refused")
	}
	s.lifo.Push(item)
}

func (s *brokenStore) Len() int { return s.lifo.Len() + len(s.pops) }

func (s *brokenStore) Pop() string {
	if len(s.pops) > 0 {
		item := s.pops[0]
		s.pops = s.pops[1:]
		return item
	}
	return s.lifo.Pop()
}

func TestStoreThatPanicsInPushLeavesTheQueueUsable(t *testing.T) {
	s := &brokenStore{refuse: true}
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: s})
	defer q.ShutDown()
	if !quietly(func() { q.Add("a") }) {
		t.Error("the panic of Push did not reach the caller of Add")
	}
	s.refuse = false
	q.Add("a") // not taken for queued, though the first try failed half-way
	q.Add("b")
	expect(t, q, "b", "a")
	q.Done("a")
	q.Done("b")
	if err := q.verify(); err != nil {
		t.Error(err)
	}
}

func TestItemThatWasNeverPushedIsHandedOutAllTheSame(t *testing.T) {
	s := &brokenStore{pops: []string{"surprise"}}
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: s})
	defer q.ShutDown()
	expect(t, q, "surprise")
	q.Add("surprise") // it is processing, so this is one more run
	expectNothing(t, q)
	q.Done("surprise")
	expect(t, q, "surprise")
}

func TestItemThatIsProcessingIsNotHandedOutTwice(t *testing.T) {
	s := &brokenStore{}
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: s})
	defer q.ShutDown()
	q.Add("a")
	expect(t, q, "a")
	q.Add("b")
	s.pops = []string{"a"}
	expect(t, q, "b")
	q.Done("a")
	q.Done("b")
	expectNothing(t, q)
	if err := q.verify(); err != nil {
		t.Error(err)
	}
}

func TestStoreIsToldOfAddsOfWhatWaitsButNotOfWhatIsProcessing(t *testing.T) {
	s := &brokenStore{}
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: s})
	defer q.ShutDown()
	q.Add("a")
	q.Add("a")
	q.Add("a")
	expect(t, q, "a")
	q.Add("a")
	q.Add("a")
	if s.touched != 2 {
		t.Errorf("Touch was called %d times, want 2", s.touched)
	}
}
