package conformance

import (
	"fmt"
	"hash/fnv"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The two halves of all UIDs.
const (
	lower = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	upper = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

// half says in which half a UID is: by its 64-bit FNV-1a hash, which clients compute as well.
func half(uid types.UID) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(uid))
	if h.Sum64() < 1<<63 {
		return lower
	}
	return upper
}

// halves creates objects until both halves have some, and returns their names by half.
func (e *env) halves() map[string][]string {
	e.Helper()
	if !e.target.Shards {
		e.Skip("the target does not have the feature ShardedListAndWatch")
	}
	names := map[string][]string{}
	for i := 0; i < 10 || len(names) < 2; i++ {
		c := e.create(configMap(fmt.Sprintf("c%03d", i)))
		names[half(c.UID)] = append(names[half(c.UID)], c.Name)
	}
	return names
}

var sharding = []behaviour{
	{"each half of a list has its objects, and says which half it is", func(e *env) {
		for selector, want := range e.halves() {
			l := e.list(metav1.ListOptions{ShardSelector: selector})
			e.equal(selector, namesOf(l), want)
			if l.ShardInfo == nil || l.ShardInfo.Selector != selector {
				e.Errorf("%+v", l.ShardInfo)
			}
		}
	}},
	{"both halves together are the list", func(e *env) {
		names := e.halves()
		l := e.list(metav1.ListOptions{ShardSelector: lower + " || " + upper})
		if len(l.Items) != len(names[lower])+len(names[upper]) {
			e.Errorf("%d items", len(l.Items))
		}
	}},
	{"a watch tells the events of its half alone", func(e *env) {
		names := e.halves()
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion, ShardSelector: upper})
		e.delete(names[lower][0])
		e.delete(names[upper][0])
		w.expect("DELETED " + names[upper][0])
	}},
	{"a watch that begins with the state begins with that of its half", func(e *env) {
		names := e.halves()
		opts := whole("")
		opts.ShardSelector = lower
		w := e.watch(opts)
		for _, name := range names[lower] {
			w.expect("ADDED " + name)
		}
		w.end()
	}},
	{"a selector that is none is refused", func(e *env) {
		e.halves()
		for _, selector := range []string{
			"garbage",
			"shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')",
			"shardRange(object.metadata.uid, '0x0', '0x8000000000000000')",
			"shardRange(object.metadata.uid, '0x8000000000000000', '0x0000000000000000')",
		} {
			// The status is that of an accident; so it is on the real server.
			_, err := e.configMaps().List(e.ctx, metav1.ListOptions{ShardSelector: selector})
			e.refused(err, refusal{code: http.StatusInternalServerError, message: "invalid shard selector: "})
		}
	}},
	{"a server without the feature sends all, and does not say that it is a part", func(e *env) {
		if e.target.Shards {
			e.Skip("the target has the feature")
		}
		e.fill(5)
		if l := e.list(metav1.ListOptions{ShardSelector: lower}); len(l.Items) != 5 || l.ShardInfo != nil {
			e.Errorf("%d items, %+v", len(l.Items), l.ShardInfo)
		}
	}},
}
