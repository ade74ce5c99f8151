package cache

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// mute is an object without metadata.
type mute struct{ metav1.TypeMeta }

func (m *mute) DeepCopyObject() runtime.Object { return &mute{m.TypeMeta} }

// odd is a list of whatever.
type odd struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

func (o *odd) DeepCopyObject() runtime.Object { return o }

// A list that makes no sense is a failure that one can see, and the next that does is taken.
func TestListsThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]struct {
		list func() runtime.Object
		want string
	}{
		"nothing":       {func() runtime.Object { return nil }, "neither a list nor an error"},
		"a nil pointer": {func() runtime.Object { return (*corev1.PodList)(nil) }, "neither a list nor an error"},
		"no list":       {func() runtime.Object { return &corev1.Pod{} }, "is not a list"},
		"a Table": {func() runtime.Object {
			table := &unstructured.UnstructuredList{}
			table.SetGroupVersionKind(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "Table"})
			return table
		}, "Table"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPuppet("1", pod("", "a", "1"))
			good := p.list
			p.list = func(metav1.ListOptions) (runtime.Object, error) { return c.list(), nil }
			store := newPodStore()
			reflecting(t, p, store, ReflectorOptions{}, func(r *Reflector) {
				wantError(t, r.State().Cause, c.want)
				wantEqual(t, "phase", r.State().Phase, PhaseBackingOff)
				p.change(func() { p.list = good })
				time.Sleep(5 * time.Second)
				synctest.Wait()
				mustNot(t, r.State().Cause)
				wantEqual(t, "keys", store.ListKeys(), []string{"a"})
			})
		})
	}
}

// What does not belong into a list is left out, and the rest is taken.
func TestListsWithUnexpectedObjects(t *testing.T) {
	p := newPuppet("1")
	p.list = func(metav1.ListOptions) (runtime.Object, error) {
		return &odd{ListMeta: metav1.ListMeta{ResourceVersion: "5"}, Items: []runtime.Object{
			pod("", "a", "1"), &mute{}, &corev1.Secret{}, (*corev1.Pod)(nil), pod("", "b", "2"), pod("", "a", "3"),
		}}, nil
	}
	store := newPodStore()
	reflecting(t, p, store, ReflectorOptions{}, func(r *Reflector) {
		s := r.State()
		wantEqual(t, "names", namesOf(store.List()), []string{"a", "b"})
		wantEqual(t, "skipped", s.Skipped, 3)
		wantEqual(t, "cause", s.Cause, nil)
		got, _, _ := store.GetByKey("a")
		wantEqual(t, "of two with one key", got.(*corev1.Pod).ResourceVersion, "3")
	})
}

// Events that make no sense are left out, and the version does not move.
func TestEventsThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]struct {
		event watch.Event
		want  string
	}{
		"no object":       {watch.Event{Type: watch.Added}, "not a *v1.Pod"},
		"a nil pointer":   {watch.Event{Type: watch.Modified, Object: (*corev1.Pod)(nil)}, "without metadata"},
		"another type":    {watch.Event{Type: watch.Added, Object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", ResourceVersion: "9"}}}, "a *v1.Secret"},
		"no metadata":     {watch.Event{Type: watch.Deleted, Object: &mute{}}, "a *cache.mute"},
		"a Status as is":  {watch.Event{Type: watch.Added, Object: &metav1.Status{}}, "a *v1.Status"},
		"an empty string": {watch.Event{}, "not a *v1.Pod"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPuppet("5", pod("", "a", "1"))
			store := newPodStore()
			reflecting(t, p, store, ReflectorOptions{}, func(r *Reflector) {
				p.current().Action(c.event.Type, c.event.Object)
				synctest.Wait()
				s := r.State()
				wantEqual(t, "version", s.ResourceVersion, "5")
				wantEqual(t, "skipped", s.Skipped, 1)
				wantError(t, s.LastSkipped, c.want)
				p.current().Add(pod("", "b", "6"))
				synctest.Wait()
				wantEqual(t, "names", namesOf(store.List()), []string{"a", "b"})
				_, watches := p.asked()
				wantEqual(t, "watches", watches, 1)
			})
		})
	}
}

// An event of an unknown type says nothing but how far the server is, and an older version is as good as any.
func TestStrangeEventsThatMoveTheVersion(t *testing.T) {
	p := newPuppet("5")
	store := newPodStore()
	reflecting(t, p, store, ReflectorOptions{}, func(r *Reflector) {
		p.current().Action("EXPLODED", pod("", "a", "7"))
		synctest.Wait()
		wantEqual(t, "version", r.LastSyncResourceVersion(), "7")
		wantError(t, r.State().LastSkipped, "EXPLODED")
		p.current().Add(pod("", "a", "8"))
		p.current().Modify(pod("", "a", "3"))
		synctest.Wait()
		wantEqual(t, "version", r.LastSyncResourceVersion(), "3")
		got, _, _ := store.GetByKey("a")
		wantEqual(t, "in the store", got.(*corev1.Pod).ResourceVersion, "3")
	})
}

func TestKindsOfUnstructuredObjects(t *testing.T) {
	widget := func(kind, name string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetAPIVersion("example.com/v1")
		u.SetKind(kind)
		u.SetName(name)
		u.SetResourceVersion("9")
		return u
	}
	table := widget("Table", "t")
	table.SetAPIVersion("meta.k8s.io/v1")
	for _, expected := range []*unstructured.Unstructured{widget("Widget", ""), {}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPuppet("5")
			p.list = func(metav1.ListOptions) (runtime.Object, error) {
				return &unstructured.UnstructuredList{Object: map[string]any{"metadata": map[string]any{"resourceVersion": "5"}}}, nil
			}
			store := newPodStore()
			r := NewReflector(p, expected, store, 0)
			while(t, r, func() {
				p.current().Add(widget("Widget", "a"))
				p.current().Add(widget("Gadget", "b"))
				p.current().Add(table)
				synctest.Wait()
				want := "a b"
				if expected.GetKind() != "" {
					want = "a"
					wantEqual(t, "type", r.TypeDescription(), "example.com/v1, Kind=Widget")
				}
				names := ""
				for _, obj := range store.List() {
					names = strings.TrimSpace(names + " " + obj.(*unstructured.Unstructured).GetName())
				}
				wantEqual(t, "names", names, want)
			})
		})
	}
}
