package cache

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestWhatReadersDecode reads in each way, and finds it in the state.
func TestWhatReadersDecode(t *testing.T) {
	indexers := Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "node": IndexByField("spec.nodeName"), "app": func(any) ([]string, error) { return nil, nil }}
	storageForms(t, indexers, func(t *testing.T, c *storageCase) {
		lister := NewTypedLister[*corev1.Pod](c.GetIndexer(), corev1.Resource("pods"))
		decodes := func() map[string]uint64 {
			n := map[string]uint64{}
			for _, d := range StateOf(c.SharedIndexInformer).Storage.Decodes {
				n[d.Use] = d.Objects
			}
			return n
		}
		before, lists := decodes(), StateOf(c.SharedIndexInformer).Storage.Lists
		for name, read := range map[string]func(){
			"get 2": func() {
				_, _ = lister.Get("default/web-2")
				_, _ = lister.ByNamespace("default").Get("web-2")
			},
			"list 6": func() {
				_, _ = lister.List(nil)
				c.GetIndexer().List()
			},
			"index 4": func() {
				_, _ = lister.ByNamespace("default").List(labels.Everything())
				_, _ = c.GetIndexer().ByIndex("node", "node-1")
			},
			"selector 1": func() { _, _ = lister.List(labels.SelectorFromSet(labels.Set{"node": "node-1"})) },
			"iterator 5": func() {
				for range lister.Metadata().All(nil) {
				}
				for range lister.AllByIndex("node", "node-0") {
				}
			},
		} {
			use, n, _ := strings.Cut(name, " ")
			read()
			if s := StateOf(c.SharedIndexInformer).Storage; s.Packed {
				wantEqual(t, "decoded for "+use, int(decodes()[use]-before[use]), int(n[0]-'0'))
			}
		}
		s := StateOf(c.SharedIndexInformer).Storage
		wantEqual(t, "lists", int(s.Lists-lists), 7)
		if s.Since.IsZero() || s.ObjectBytes < 50 || s.Encoding == "" || s.Unstructured {
			t.Errorf("%+v", s)
		}
		if !s.Packed {
			if s.Decodes != nil || s.Callers != nil || s.PackedBytes != 0 {
				t.Errorf("not packed: %+v", s)
			}
			return
		}
		if s.PackedBytes < 3*80 {
			t.Errorf("%d bytes are packed", s.PackedBytes)
		}
		wantEqual(t, "an index function decodes each object", decodes()["index_function"] >= 3, true)
		found := false
		for _, one := range s.Callers {
			found = found || one.Use == "get" && strings.Contains(one.Function, "TestWhatReadersDecode") && strings.HasPrefix(one.Line, "storagestate_test.go:")
		}
		if !found {
			t.Errorf("this test is not among the callers: %+v", s.Callers)
		}
	})
}
