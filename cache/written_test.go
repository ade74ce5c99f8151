package cache

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/internal/mutate"
	"vedette.dev/internal/object"
	"vedette.dev/internal/testsize"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

// alikePod is one of many that differ in their names only.
func alikePod(name string) *corev1.Pod {
	limit := resource.MustParse("1Gi")
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"application": "web-frontend", "tier": "front"}},
		Spec: corev1.PodSpec{
			NodeName: "n1", NodeSelector: map[string]string{"kubernetes.io/os": "linux", "zone": "a-long-zone"},
			Containers: []corev1.Container{{Name: "c", Image: "registry/image:v1", Env: []corev1.EnvVar{{Name: "A", Value: "a value"}}}},
			Volumes: []corev1.Volume{
				{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &limit}}},
				{Name: "w", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
}

// form is a way in which objects come.
type form struct {
	name, contentType string
	example           runtime.Object
}

var forms = []form{
	{"protobuf", inProtobuf, &corev1.Pod{}},
	{"typed JSON", inJSON, &corev1.Pod{}},
	{"unstructured", inJSON, &unstructured.Unstructured{}},
	{"typed CBOR", inCBOR, &corev1.Pod{}},
	{"unstructured CBOR", inCBOR, &unstructured.Unstructured{}},
}

// liveStorages are those that hand out what they store.
var liveStorages = map[string]Storage{
	"default": {},
	"dropped": {Drop: []string{DropManagedFields}},
	"shared":  {Shared: true},
}

// withAlikePods runs a test with an informer of n pods, web-0 and so on.
func withAlikePods(t *testing.T, n int, f form, options SharedIndexInformerOptions, test func(t *testing.T, c *storageCase)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, CBOR: f.contentType == inCBOR})
		for i := range n {
			_, err := server.Create(t.Context(), alikePod(fmt.Sprint("web-", i)))
			mustNot(t, err)
		}
		config := server.RESTConfig()
		config.ContentType = f.contentType
		client, err := typed.NewForConfig(config)
		mustNot(t, err)
		c := &storageCase{t: t, server: server, dropped: options.Storage.Drop != nil}
		c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), f.example, options)
		c.run()
		test(t, c)
	})
}

// wrong are the pods of the store that are not as on the server.
func (c *storageCase) wrong() (names []string) {
	c.t.Helper()
	client, err := typed.NewForConfig(c.server.RESTConfig())
	mustNot(c.t, err)
	pods, err := client.Pods("default").List(c.t.Context(), metav1.ListOptions{})
	mustNot(c.t, err)
	wantEqual(c.t, "objects", len(c.GetStore().ListKeys()), len(pods.Items))
	for _, want := range pods.Items {
		if c.dropped {
			want.ManagedFields = nil
		}
		obj := c.stored(want.Name)
		if u, ok := obj.(*unstructured.Unstructured); ok && !isPodContent(u) || !reflect.DeepEqual(podJSON(c.t, asPod(obj)), podJSON(c.t, &want)) {
			names = append(names, want.Name)
		}
	}
	slices.Sort(names)
	return names
}

// isPodContent reports whether an unstructured object can be a pod, and has no other members.
func isPodContent(u *unstructured.Unstructured) bool {
	pod := &corev1.Pod{}
	return u.GetKind() == "Pod" && u.GetAPIVersion() == "v1" && runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, pod, true) == nil
}

// asPod is an object of the store as a pod, or nil if it cannot be one.
func asPod(obj any) *corev1.Pod {
	if pod, ok := obj.(*corev1.Pod); ok {
		return pod
	}
	pod := &corev1.Pod{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(obj.(*unstructured.Unstructured).Object, pod) != nil {
		return nil
	}
	return pod
}

// podJSON is a pod in a form that can be compared: quantities are equal in it if their values are.
func podJSON(t *testing.T, pod *corev1.Pod) map[string]any {
	t.Helper()
	if pod == nil {
		return nil
	}
	pod = pod.DeepCopy()
	pod.TypeMeta = metav1.TypeMeta{}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	mustNot(t, err)
	return content
}

func (c *storageCase) stored(name string) any {
	c.t.Helper()
	obj, ok, err := c.GetStore().GetByKey("default/" + name)
	if !ok || err != nil {
		c.t.Fatalf("%s: %v, %v", name, ok, err)
	}
	return obj
}

// touch has the server send an event for a pod.
func (c *storageCase) touch(name string) {
	c.t.Helper()
	pod := c.onServer(name)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations["touched"] += "+"
	_, err := c.server.Update(c.t.Context(), pod)
	mustNot(c.t, err)
	synctest.Wait()
}

// relist has the informer get all objects anew, in the versions that it has.
func (c *storageCase) relist() {
	c.t.Helper()
	before := StateOf(c.SharedIndexInformer)
	// The version of the informer is not the newest any more, and then it is too old.
	_, err := c.server.Create(c.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "x"}})
	mustNot(c.t, err)
	c.server.Compact()
	c.server.CutConnections()
	for range 100 {
		synctest.Wait()
		if s := StateOf(c.SharedIndexInformer); s.Phase == PhaseWatching && s.Events >= before.Events+uint64(before.Objects) {
			return
		}
		time.Sleep(time.Second)
	}
	c.t.Fatalf("no list has come: %+v", StateOf(c.SharedIndexInformer))
}

// TestAWrittenObjectHarmsNoOther writes to an object of the store at random places, in each form and storage. No other object has what
// was written, neither of those that are there nor of those that come, and the next event or list heals it.
func TestAWrittenObjectHarmsNoOther(t *testing.T) {
	rounds := testsize.Of(6, 2)
	for _, f := range forms {
		for name, way := range liveStorages {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				withAlikePods(t, 8, f, SharedIndexInformerOptions{Storage: way}, func(t *testing.T, c *storageCase) {
					if wrong := c.wrong(); wrong != nil {
						t.Fatalf("%v are not as on the server", wrong)
					}
					r := rand.New(rand.NewPCG(1, 1))
					for round := range rounds {
						victim := fmt.Sprint("web-", r.IntN(8))
						written := mutate.Object(r, c.stored(victim))
						if wrong := c.wrong(); !way.Shared && len(wrong) > 1 {
							t.Fatalf("%s of %s was written, and %v are wrong", written, victim, wrong)
						}
						newcomer := fmt.Sprint("new-", round)
						_, err := c.server.Create(t.Context(), alikePod(newcomer))
						mustNot(t, err)
						synctest.Wait()
						if slices.Contains(c.wrong(), newcomer) {
							t.Fatalf("%s of %s was written, and %s has it, which came later", written, victim, newcomer)
						}
						if round%2 == 0 {
							c.touch(victim)
						} else {
							c.relist()
						}
						wrong := c.wrong()
						if slices.Contains(wrong, victim) || !way.Shared && wrong != nil {
							t.Fatalf("%s of %s was written, and in round %d %v are still wrong", written, victim, round, wrong)
						}
						c.relist()
						if wrong := c.wrong(); wrong != nil {
							t.Fatalf("%s of %s was written, and after a list %v are wrong", written, victim, wrong)
						}
					}
				})
			})
		}
	}
}

// TestAWriteToTheOldStateIsHealed writes to the state of an object that a handler was given as the old one. The next event
// heals what the new one has of it.
func TestAWriteToTheOldStateIsHealed(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			withAlikePods(t, 2, f, SharedIndexInformerOptions{}, func(t *testing.T, c *storageCase) {
				old := c.stored("web-0")
				c.touch("web-0")
				r := rand.New(rand.NewPCG(2, 2))
				for range 20 {
					mutate.Object(r, old)
				}
				if wrong := c.wrong(); slices.Contains(wrong, "web-1") {
					t.Errorf("%v are wrong", wrong)
				}
				c.touch("web-0")
				if wrong := c.wrong(); wrong != nil {
					t.Errorf("%v are still wrong", wrong)
				}
			})
		})
	}
}

// TestARelistTellsNothingOfWhatItHeals has a list heal an object without a call of a handler: on the server nothing has changed.
func TestARelistTellsNothingOfWhatItHeals(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			withAlikePods(t, 3, f, SharedIndexInformerOptions{}, func(t *testing.T, c *storageCase) {
				var mu sync.Mutex
				var calls []string
				_, err := c.AddEventHandler(ResourceEventHandlerDetailedFuncs{
					AddFunc: func(obj any, initial bool) {
						if !initial {
							calls = append(calls, "add")
						}
					},
					UpdateFunc: func(any, any) { mu.Lock(); defer mu.Unlock(); calls = append(calls, "update") },
					DeleteFunc: func(any) { calls = append(calls, "delete") },
				})
				mustNot(t, err)
				synctest.Wait()
				calls = nil
				victim, other := c.stored("web-1"), c.stored("web-2")
				m, err := object.Meta(victim)
				mustNot(t, err)
				m.SetLabels(map[string]string{"written": "yes"})
				c.relist()
				if wrong := c.wrong(); wrong != nil || calls != nil {
					t.Errorf("wrong are %v, calls %v", wrong, calls)
				}
				if c.stored("web-1") == victim {
					t.Error("what was written to is still stored")
				}
				if pod, ok := other.(*corev1.Pod); ok && pod.Spec.Volumes[0].EmptyDir.SizeLimit != nil {
					return // its quantity is not looked at
				}
				if c.stored("web-2") != other {
					t.Error("what was not written to was replaced")
				}
			})
		})
	}
}

// TestUnchangedPartsAreTakenOver has the spec of an object be the same in memory when only its annotations change, unless a detector is
// to find out who writes to it.
func TestUnchangedPartsAreTakenOver(t *testing.T) {
	detector, err := NewMutationDetector(MutationDetectorConfig{})
	mustNot(t, err)
	transform := func(obj any) (any, error) { return obj, nil }
	for name, test := range map[string]struct {
		options   SharedIndexInformerOptions
		transform TransformFunc
		want      bool
	}{
		"default":        {want: true},
		"shared":         {options: SharedIndexInformerOptions{Storage: Storage{Shared: true}}, want: true},
		"fields dropped": {options: SharedIndexInformerOptions{Storage: Storage{Drop: []string{DropManagedFields}}}, want: true},
		"detector":       {options: SharedIndexInformerOptions{MutationDetector: detector, Storage: Storage{Shared: true}}},
		"transform":      {transform: transform},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				_, err := server.Create(t.Context(), alikePod("web-0"))
				mustNot(t, err)
				config := server.RESTConfig()
				config.ContentType = inProtobuf
				client, err := typed.NewForConfig(config)
				mustNot(t, err)
				c := &storageCase{t: t, server: server}
				c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), &corev1.Pod{}, test.options)
				mustNot(t, c.SetTransform(test.transform))
				c.run()
				before := c.get("default/web-0")
				c.touch("web-0")
				after := c.get("default/web-0")
				wantEqual(t, "touched", after.Annotations["touched"], "+")
				if got := &before.Spec.Containers[0] == &after.Spec.Containers[0]; got != test.want {
					t.Errorf("the containers are the same: %v, want %v", got, test.want)
				}
			})
		})
	}
}

// TestReadersOfDifferentObjectsShareNoQuantity calls a method that only reads, but writes to its receiver.
func TestReadersOfDifferentObjectsShareNoQuantity(t *testing.T) {
	for name, way := range liveStorages {
		t.Run(name, func(t *testing.T) {
			withAlikePods(t, 4, forms[0], SharedIndexInformerOptions{Storage: way}, func(t *testing.T, c *storageCase) {
				a, b := c.get("default/web-1").Spec.Volumes[0].EmptyDir.SizeLimit, c.get("default/web-2").Spec.Volumes[0].EmptyDir.SizeLimit
				before := *b
				_ = a.AsDec()
				if a == b || !reflect.DeepEqual(before, *b) {
					t.Error("two pods have one quantity")
				}
			})
		})
	}
}

// TestAHandlerDoesNotChangeWhatPackedReadersGet has a handler write to what it is given.
func TestAHandlerDoesNotChangeWhatPackedReadersGet(t *testing.T) {
	write := func(obj any) { obj.(*corev1.Pod).Labels["node"] = "written" }
	handler := ResourceEventHandlerFuncs{AddFunc: write, UpdateFunc: func(_, obj any) { write(obj) }}
	withStorage(t, packedOptions, []ResourceEventHandler{handler}, func(t *testing.T, c *storageCase) {
		for range 3 {
			if got := c.get("default/web-1").Labels["node"]; got != "node-0" {
				t.Fatalf("a reader is given %q", got)
			}
		}
	})
}

// TestOneMutationIsOneReport has a detector serve several informers, and name the object and who has read it.
func TestOneMutationIsOneReport(t *testing.T) {
	for name, way := range liveStorages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var reports []ObjectMutation
				d, err := NewMutationDetector(MutationDetectorConfig{Name: "x", Report: func(m ObjectMutation) {
					mu.Lock()
					defer mu.Unlock()
					reports = append(reports, m)
				}})
				mustNot(t, err)
				server := apitest.New(t, apitest.Config{InMemory: true})
				for i := range testsize.Of(20, 8) {
					_, err := server.Create(t.Context(), alikePod(fmt.Sprint("web-", i)))
					mustNot(t, err)
				}
				config := server.RESTConfig()
				config.ContentType = inProtobuf
				client, err := typed.NewForConfig(config)
				mustNot(t, err)
				var c *storageCase
				for range 3 {
					c = &storageCase{t: t, server: server}
					c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), &corev1.Pod{},
						SharedIndexInformerOptions{MutationDetector: d, Storage: way})
					c.run()
				}
				time.Sleep(3 * time.Minute) // longer than Keep, and shorter than twice as long
				synctest.Wait()
				d.(*detector).mu.Lock() // a change without a lock would be a race with the detector
				stored, _ := c.SharedIndexInformer.(*informer).indexer.table.Get("default/web-7")
				victim := stored.(*corev1.Pod)
				victim.Spec.Containers[0].Image = "written"
				d.(*detector).mu.Unlock()
				c.get("default/web-7")
				time.Sleep(10 * time.Second)
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if len(reports) != 1 || reports[0].Key != "default/web-7" || !strings.Contains(reports[0].LastReader, "cache/storage_test.go:") {
					t.Errorf("got %d reports: %+v", len(reports), reports)
				}
			})
		})
	}
}
