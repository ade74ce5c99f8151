package indexer

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// thing is an object as small as one can be that has metadata and something to index.
type thing struct {
	metav1.ObjectMeta
	node, app string
}

// The sizes of the indexes: an object shares its namespace with a thousand others, its node with a hundred and its app
// with ten.
const (
	perNamespace = 1000
	perNode      = 100
	perApp       = 10
)

// The names of the indexes. The one by namespace is called as listers want it.
const (
	namespaceIndex = "namespace"
	nodeIndex      = "node"
	appIndex       = "app"
)

func byNode(obj any) ([]string, error) { return []string{obj.(*thing).node}, nil }
func byApp(obj any) ([]string, error)  { return []string{obj.(*thing).app}, nil }

func namespaceOf(i, count int) string {
	return fmt.Sprintf("namespace-%d", i%max(1, count/perNamespace))
}

// objects are two states of each object, so that an update brings a new one without making it.
type objects struct {
	keys   []string
	states [2][]*thing
}

func newObjects(count int) *objects {
	o := &objects{keys: make([]string, count)}
	for i := range count {
		namespace, name := namespaceOf(i, count), fmt.Sprintf("thing-%d", i)
		o.keys[i] = namespace + "/" + name
		for s := range o.states {
			o.states[s] = append(o.states[s], &thing{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: strconv.Itoa(s*count + i + 1)},
				node:       fmt.Sprintf("node-%d", i%max(1, count/perNode)),
				app:        fmt.Sprintf("app-%d", i/perApp),
			})
		}
	}
	return o
}

// check compares a store with the states it should hold.
func (o *objects) check(s store, state []uint8) error {
	for i, key := range o.keys {
		got, exists, err := s.GetByKey(key)
		if err != nil || !exists || got != any(o.states[state[i]][i]) {
			return fmt.Errorf("object %s is not what was stored last: %v, %v", key, exists, err)
		}
	}
	if n := len(s.List()); n != len(o.keys) {
		return fmt.Errorf("%d objects in the list, want %d", n, len(o.keys))
	}
	for _, index := range []string{namespaceIndex, nodeIndex, appIndex} {
		total := 0
		for _, value := range s.ListIndexFuncValues(index) {
			list, err := s.ByIndex(index, value)
			if err != nil {
				return err
			}
			total += len(list)
		}
		if total != len(o.keys) {
			return fmt.Errorf("%d objects in index %s, want %d", total, index, len(o.keys))
		}
	}
	return nil
}
