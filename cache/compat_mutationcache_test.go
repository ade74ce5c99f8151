package cache

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

func mutations(store Indexer, adds bool) MutationCache {
	return NewIntegerResourceVersionMutationCache(logr.Discard(), store, store, time.Minute, adds)
}

func versionIn(t *testing.T, c MutationCache, key string) string {
	t.Helper()
	obj, exists, err := c.GetByKey(key)
	mustNot(t, err)
	if !exists {
		return "none"
	}
	return obj.(*corev1.Pod).ResourceVersion
}

func withUID(p *corev1.Pod, uid types.UID) *corev1.Pod {
	p.UID = uid
	return p
}

func TestTheNewerOfStoreAndMutationIsReturned(t *testing.T) {
	s := podIndexer(nil)
	c := mutations(s, false)
	c.Mutation(pod("ns", "a", "5"))
	wantEqual(t, "not in the store", versionIn(t, c, "ns/a"), "none")
	mustNot(t, s.Add(pod("ns", "a", "4")))
	wantEqual(t, "newer than the store", versionIn(t, c, "ns/a"), "5")
	c.Mutation(pod("ns", "a", "3"))
	wantEqual(t, "an older mutation is ignored", versionIn(t, c, "ns/a"), "5")
	objs, err := c.ByIndex(NamespaceIndex, "ns")
	mustNot(t, err)
	wantEqual(t, "by index", objs[0].(*corev1.Pod).ResourceVersion, "5")
	mustNot(t, s.Update(pod("ns", "a", "10"))) // 10 is more than 5, though not as text
	wantEqual(t, "the store caught up", versionIn(t, c, "ns/a"), "10")
}

func TestAddsAreReturnedIfAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := podIndexer(nil)
		c := mutations(s, true)
		c.Mutation(pod("ns", "a", "5"))
		for range 2 { // reading it does not forget it
			wantEqual(t, "added", versionIn(t, c, "ns/a"), "5")
		}
		mustNot(t, s.Add(pod("ns", "b", "6")))
		objs, err := c.ByIndex(NamespaceIndex, "ns")
		mustNot(t, err)
		wantEqual(t, "by index", namesOf(objs), []string{"a", "b"})
		objs, err = c.ByIndex(NamespaceIndex, "other")
		mustNot(t, err)
		wantEqual(t, "by another value", len(objs), 0)
		_, err = c.ByIndex("none", "x")
		wantError(t, err, "Index with name none does not exist")
		time.Sleep(time.Minute + time.Second)
		wantEqual(t, "expired", versionIn(t, c, "ns/a"), "none")
	})
}

func TestTheInformerMakesTheMutationCacheForget(t *testing.T) {
	c := mutations(podIndexer(nil), true)
	c.Mutation(pod("ns", "a", "5"))
	c.OnAddOrUpdate(pod("ns", "a", "4"))
	wantEqual(t, "after an older event", versionIn(t, c, "ns/a"), "5")
	c.OnAddOrUpdate(pod("ns", "a", "5"))
	wantEqual(t, "after its own event", versionIn(t, c, "ns/a"), "none")
}

func TestADeletionIsRemembered(t *testing.T) {
	c := mutations(podIndexer(nil), true)
	c.Mutation(withUID(pod("ns", "a", "5"), "first"))
	c.OnDelete(withUID(pod("ns", "a", "4"), "first"))
	wantEqual(t, "same UID", versionIn(t, c, "ns/a"), "none")
	c.Mutation(withUID(pod("ns", "a", "6"), "first"))
	wantEqual(t, "a late mutation of the deleted object", versionIn(t, c, "ns/a"), "none")
	c.Mutation(withUID(pod("ns", "a", "7"), "second"))
	wantEqual(t, "a new object of the same name", versionIn(t, c, "ns/a"), "7")
	c.OnDelete(withUID(pod("ns", "a", "6"), "first"))
	wantEqual(t, "the old deletion comes late", versionIn(t, c, "ns/a"), "7")
	c.OnDelete(withUID(pod("ns", "a", "8"), "third"))
	wantEqual(t, "a deletion that is newer", versionIn(t, c, "ns/a"), "none")
	objs, err := c.ByIndex(NamespaceIndex, "ns")
	mustNot(t, err)
	wantEqual(t, "by index", len(objs), 0)
}

func TestWhereVersionsAreOpaqueTheStoreIsBelieved(t *testing.T) {
	s := podIndexer(nil)
	c := mutations(s, true)
	c.Mutation(pod("ns", "a", "opaque"))
	wantEqual(t, "not in the store", versionIn(t, c, "ns/a"), "opaque")
	mustNot(t, s.Add(pod("ns", "a", "4")))
	wantEqual(t, "in the store", versionIn(t, c, "ns/a"), "4")
	c.Mutation("no key") // is not remembered, and does no harm
	c.OnAddOrUpdate(nil)
	c.OnDelete(nil)
}

func TestAMutationCacheWithoutAnIndexerHasNoByIndex(t *testing.T) {
	c := NewIntegerResourceVersionMutationCacheWithOptions(logr.Discard(), podIndexer(nil), MutationCacheOptions{MaxCacheSize: 1, IncludeAdds: true})
	_, err := c.ByIndex(NamespaceIndex, "ns")
	wantError(t, err, "no indexer")
	c.Mutation(pod("", "a", "1"))
	c.Mutation(pod("", "b", "1"))
	wantEqual(t, "forgotten for another", versionIn(t, c, "a"), "none")
	c.(interface{ internal() }).internal()
}
