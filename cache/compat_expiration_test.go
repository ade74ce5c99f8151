package cache

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

func TestATTLStoreForgetsWhatIsOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewTTLStore(MetaNamespaceKeyFunc, time.Minute)
		a, b := pod("", "a", "1"), pod("", "b", "1")
		mustNot(t, s.Add(a))
		time.Sleep(40 * time.Second)
		mustNot(t, s.Update(b))
		time.Sleep(20 * time.Second)
		wantEqual(t, "when a is as old as the limit", namesOf(s.List()), []string{"a", "b"})
		time.Sleep(time.Second)
		wantEqual(t, "keys, of which one has expired", len(s.ListKeys()), 2)
		_, exists, err := s.Get(a)
		wantEqual(t, "a", exists || err != nil, false)
		wantEqual(t, "later", namesOf(s.List()), []string{"b"})
		wantEqual(t, "keys", s.ListKeys(), []string{"b"})
		mustNot(t, s.Add(b)) // refreshes
		time.Sleep(time.Minute)
		_, exists, _ = s.GetByKey("b")
		wantEqual(t, "b", exists, true)
		mustNot(t, s.Replace([]any{a}, "7"))
		wantEqual(t, "version", s.LastStoreSyncResourceVersion(), "7")
		mustNot(t, s.Delete(pod("", "a", "8")))
		wantEqual(t, "version", s.LastStoreSyncResourceVersion(), "8")
		s.Bookmark("9")
		wantEqual(t, "version", s.LastStoreSyncResourceVersion(), "9")
		mustNot(t, s.Resync())
		wantEqual(t, "list", s.List(), []any{})
	})
}

func TestATTLOfZeroNeverExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewTTLStore(MetaNamespaceKeyFunc, 0)
		mustNot(t, s.Add(pod("", "a", "")))
		time.Sleep(1000 * time.Hour)
		wantEqual(t, "objects", len(s.List()), 1)
	})
}

func TestAFakeExpirationStoreTellsWhatItDeletes(t *testing.T) {
	deleted := make(chan string, 10)
	policy := &FakeExpirationPolicy{
		NeverExpire:     sets.New("stays"),
		RetrieveKeyFunc: func(obj any) (string, error) { return MetaNamespaceKeyFunc(obj.(*TimestampedEntry).Obj) },
	}
	s := NewFakeExpirationStore(MetaNamespaceKeyFunc, deleted, policy, clock.RealClock{})
	mustNot(t, s.Add(pod("", "stays", "")))
	mustNot(t, s.Add(pod("", "goes", "")))
	wantEqual(t, "list", namesOf(s.List()), []string{"stays"})
	wantEqual(t, "deleted", <-deleted, "goes")
}
