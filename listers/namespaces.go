package listers

import (
	"maps"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
)

// namespaces are cached listers of namespaces. A nil one has none.
type namespaces[T runtime.Object] struct {
	known atomic.Pointer[map[string]*ResourceIndexer[T]]
}

// mostNamespaces is the maximum number of cached listers. Each new one costs a copy of the map.
const mostNamespaces = 256

func (n *namespaces[T]) find(namespace string) *ResourceIndexer[T] {
	if n == nil {
		return nil
	}
	known := n.known.Load()
	if known == nil {
		return nil
	}
	return (*known)[namespace]
}

// add caches a lister, if there is room. If two are added concurrently, one of them may be lost.
func (n *namespaces[T]) add(namespace string, one *ResourceIndexer[T]) {
	if n == nil {
		return
	}
	before := n.known.Load()
	after := map[string]*ResourceIndexer[T]{}
	if before != nil {
		if len(*before) >= mostNamespaces {
			return
		}
		after = maps.Clone(*before)
	}
	after[strings.Clone(namespace)] = one
	n.known.CompareAndSwap(before, &after)
}
