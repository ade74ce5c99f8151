package patch

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
)

func configMaps(t testing.TB, registry *kinds.Registry) *kinds.Kind {
	t.Helper()
	return lookup(t, registry, "v1/configmaps")
}

func newConfigMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "thing", Namespace: "default", UID: "u", ResourceVersion: "7"},
		Data:       map[string]string{"a": "1"},
	}
}

func mustTrack(t testing.TB, p Patcher, live, updated runtime.Object, kind *kinds.Kind, sub, manager string) runtime.Object {
	t.Helper()
	obj, err := p.Track(live, updated, kind, sub, manager)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// owners are the entries in a form that tests can state.
func owners(t testing.TB, obj runtime.Object) []string {
	t.Helper()
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range m.GetManagedFields() {
		list = append(list, fmt.Sprintf("%s %s %s%s", e.Manager, e.Operation, e.Subresource, e.FieldsV1.GetRawString()))
	}
	return list
}

func TestTrackChangesNoArgument(t *testing.T) {
	registry := kinds.NewRegistry()
	p, kind := New(registry), configMaps(t, registry)
	live := mustTrack(t, p, nil, newConfigMap(), kind, "", "first").(*corev1.ConfigMap)
	updated := live.DeepCopy()
	updated.Data["b"] = "2"
	liveBefore, updatedBefore := live.DeepCopy(), updated.DeepCopy()
	got := mustTrack(t, p, live, updated, kind, "", "second")
	if !reflect.DeepEqual(live, liveBefore) || !reflect.DeepEqual(updated, updatedBefore) {
		t.Error("Track has changed an argument")
	}
	want := []string{`first Update {"f:data":{".":{},"f:a":{}}}`, `second Update {"f:data":{"f:b":{}}}`}
	if o := owners(t, got); !reflect.DeepEqual(o, want) {
		t.Errorf("owners %q, want %q", o, want)
	}
}

func TestTrackSubresource(t *testing.T) {
	registry := kinds.NewRegistry()
	p, kind := New(registry), lookup(t, registry, "v1/pods")
	live := mustTrack(t, p, nil, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u", Labels: map[string]string{"a": "b"}}}, kind, "", "user")
	updated := live.DeepCopyObject().(*corev1.Pod)
	updated.Status.Phase = corev1.PodRunning
	updated.Spec.NodeName = "n" // is not written by that path
	got := owners(t, mustTrack(t, p, live, updated, kind, "status", "kubelet"))
	if want := `kubelet Update status{"f:status":{"f:phase":{}}}`; !slices.Contains(got, want) {
		t.Errorf("owners %q, want %q among them", got, want)
	}
}

// TestTrackCaps: at most ten updaters are told apart.
func TestTrackCaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := kinds.NewRegistry()
		p, kind := New(registry), configMaps(t, registry)
		var live runtime.Object = mustTrack(t, p, nil, newConfigMap(), kind, "", "m0")
		for i := range 12 {
			time.Sleep(time.Second)
			updated := live.DeepCopyObject().(*corev1.ConfigMap)
			updated.Data[fmt.Sprintf("k%d", i)] = "1"
			live = mustTrack(t, p, live, updated, kind, "", fmt.Sprintf("m%d", i+1))
		}
		got := owners(t, live)
		if len(got) != 10 || got[0] != `ancient-changes Update {"f:data":{".":{},"f:a":{},"f:k0":{},"f:k1":{},"f:k2":{}}}` {
			t.Errorf("%d owners, the first %q", len(got), got[0])
		}
	})
}

// TestTrackTime uses the clock of the bubble, in whole seconds.
func TestTrackTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := kinds.NewRegistry()
		p, kind := New(registry), configMaps(t, registry)
		time.Sleep(1500 * time.Millisecond)
		obj := mustTrack(t, p, nil, newConfigMap(), kind, "", "first").(*corev1.ConfigMap)
		if got, want := obj.ManagedFields[0].Time.UTC(), time.Date(2000, 1, 1, 0, 0, 1, 0, time.UTC); !got.Equal(want) {
			t.Errorf("time %v, want %v", got, want)
		}
	})
}

// TestEveryKindHasTypes: without, its managed fields would silently stay as they are.
func TestEveryKindHasTypes(t *testing.T) {
	registry := testRegistry(t)
	p := New(registry).(*patcher)
	for _, kind := range registry.All() {
		if !kind.Listed() {
			continue
		}
		shapes := []shape{shapeOf(kind, "")}
		for _, sub := range kind.Subresources {
			if slices.Contains(sub.Verbs, "patch") && sub.Name != "proxy" {
				shapes = append(shapes, shapeOf(kind, sub.Name))
			}
		}
		for _, s := range shapes {
			types := typeTable{p, s}
			if _, err := types.ObjectToTyped(s.make()); err != nil {
				t.Errorf("%s of %s: %v", s.GroupVersionKind, kind.Plural, err)
			}
		}
	}
}

// TestManyPatchers is for the race detector: they share what is known of built-in kinds.
func TestManyPatchers(t *testing.T) {
	registry := kinds.NewRegistry()
	kind := lookup(t, registry, "apps/v1/deployments")
	shared := New(registry)
	live := mustTrack(t, shared, nil, kind.New(), kind, "", "x")
	live.(metav1.Object).SetName("thing")
	live.(metav1.Object).SetUID("u")
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			p := shared
			if i%2 == 0 {
				p = New(kinds.NewRegistry())
			}
			_, _, err := p.Patch(live, Request{
				Kind: kind, Type: types.ApplyYAMLPatchType, Manager: fmt.Sprint(i),
				Body: []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"thing"},"spec":{"replicas":3}}`),
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
