package fake_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes/fake"
	fakecorev1 "vedette.dev/kubernetes/typed/core/v1/fake"
	"vedette.dev/rest"
	clienttesting "vedette.dev/testing"
)

// The tests of this file are what tests of programs expect of the simple fake, because client-go's does it.

func TestSimpleSetsNoIdentity(t *testing.T) {
	bare, full := pod("bare"), pod("full")
	full.UID, full.ResourceVersion, full.CreationTimestamp = "mine", "999", metav1.Unix(1e9, 0)
	client := fake.NewSimpleClientset(bare.DeepCopy(), full.DeepCopy())
	pods := client.CoreV1().Pods("default")
	same := func(what string, want *corev1.Pod) func(*corev1.Pod, error) {
		return func(got *corev1.Pod, err error) {
			t.Helper()
			if err != nil || !apiequality.Semantic.DeepEqual(got, want) {
				t.Errorf("%s: %v, %v, want %v", what, got, err, want)
			}
		}
	}
	same("bare", bare)(pods.Get(ctx, "bare", metav1.GetOptions{}))
	same("full", full)(pods.Get(ctx, "full", metav1.GetOptions{}))
	same("a version that the server does not have", full)(pods.Get(ctx, "full", metav1.GetOptions{ResourceVersion: "999"}))
	same("created", pod("new"))(pods.Create(ctx, pod("new"), metav1.CreateOptions{}))
	bare.Labels = map[string]string{"a": "b"}
	same("updated", bare)(pods.Update(ctx, bare, metav1.UpdateOptions{}))
	bare.Labels["a"] = "c"
	same("patched", bare)(pods.Patch(ctx, "bare", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"c"}}}`), metav1.PatchOptions{}))
	// No version is compared, and no UID.
	full.ResourceVersion, full.UID = "5", "other"
	same("another version", full)(pods.Update(ctx, full, metav1.UpdateOptions{}))
	full.ResourceVersion, full.UID, full.CreationTimestamp = "", "", metav1.Time{}
	same("no version", full)(pods.Update(ctx, full, metav1.UpdateOptions{}))
	full.Status.Phase, full.ResourceVersion = corev1.PodFailed, "of mine"
	same("status", full)(pods.UpdateStatus(ctx, full, metav1.UpdateOptions{}))
	list, err := pods.List(ctx, metav1.ListOptions{ResourceVersion: "999"})
	if err != nil || len(list.Items) != 3 || list.ResourceVersion == "" {
		t.Fatal(list, err)
	}
	if want := []corev1.Pod{*bare, *full, *pod("new")}; !apiequality.Semantic.DeepEqual(list.Items, want) {
		t.Errorf("%v, want %v", list.Items, want)
	}
	obj, err := client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("pods"), "default", "bare")
	if err != nil || !apiequality.Semantic.DeepEqual(obj, bare) {
		t.Errorf("%v, %v", obj, err)
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: "5000"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if err := pods.Delete(ctx, "full", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &full.ResourceVersion}}); err != nil {
		t.Error(err)
	}
	if e := <-w.ResultChan(); e.Type != watch.Deleted || !apiequality.Semantic.DeepEqual(e.Object, full) {
		t.Errorf("%v", e)
	}
}

// An informer sees each change, whatever versions the objects have.
func TestSimpleInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bare, full := configMap("bare"), configMap("full")
		full.UID, full.ResourceVersion = "mine", "999"
		client := fake.NewSimpleClientset(bare, full)
		factory := informers.NewSharedInformerFactory(client, 0)
		maps := factory.Core().V1().ConfigMaps()
		var updates []string
		_, _ = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) {
			c := obj.(*corev1.ConfigMap)
			updates = append(updates, c.Name+"="+c.Data["x"])
		}})
		ctx, cancel := context.WithCancel(t.Context())
		factory.Start(ctx.Done())
		defer factory.Shutdown()
		defer cancel()
		factory.WaitForCacheSync(ctx.Done())
		synctest.Wait()
		for _, value := range []string{"1", "2"} {
			for _, c := range []*corev1.ConfigMap{bare, full} {
				c.Data = map[string]string{"x": value}
				if _, err := client.CoreV1().ConfigMaps("default").Update(ctx, c, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got, err := maps.Lister().ConfigMaps("default").Get(c.Name); err != nil || got.Data["x"] != value {
					t.Errorf("%v, %v", got, err)
				}
			}
		}
		time.Sleep(3 * time.Hour) // watches end, and begin again
		synctest.Wait()
		if err := client.CoreV1().ConfigMaps("default").Delete(ctx, "bare", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if list, err := maps.Lister().List(labels.Everything()); err != nil || len(list) != 1 || list[0].Data["x"] != "2" {
			t.Errorf("%v, %v", list, err)
		}
		if got := strings.Join(updates[:min(4, len(updates))], " "); got != "bare=1 full=1 bare=2 full=2" {
			t.Error(got)
		}
	})
}

func TestEmptyListsAreNil(t *testing.T) {
	client := fake.NewSimpleClientset(pod("p"))
	for name, opts := range map[string]metav1.ListOptions{"pods": {LabelSelector: "a=b"}, "nodes": {}} {
		if list, err := client.CoreV1().Pods("").List(ctx, opts); name == "pods" && (err != nil || list.Items != nil) {
			t.Errorf("%#v, %v", list, err)
		}
		if list, err := client.CoreV1().Nodes().List(ctx, opts); err != nil || list.Items != nil {
			t.Errorf("%#v, %v", list, err)
		}
	}
	if list, err := fake.NewClientset().AppsV1().Deployments("x").List(ctx, metav1.ListOptions{}); err != nil || list.Items != nil {
		t.Errorf("%#v, %v", list, err)
	}
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &corev1.PodList{}, nil })
	if list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); err != nil || list.Items != nil {
		t.Errorf("%#v, %v", list, err)
	}
}

// Errors of reactors are returned as they are.
func TestErrorsOfReactors(t *testing.T) {
	for name, given := range map[string]error{
		"plain":                 errors.New("boom"),
		"the end of a file":     io.EOF, // after which clients try again, or return an empty watch
		"a reason only":         &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonTooManyRequests}},
		"a whole status":        apierrors.NewNotFound(corev1.Resource("pods"), "p"),
		"a server that is busy": apierrors.NewTooManyRequests("later", 3600),
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewSimpleClientset()
			calls := 0
			client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { calls++; return true, nil, given })
			client.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, given })
			client.PrependProxyReactor("*", func(clienttesting.Action) (bool, rest.ResponseWrapper, error) { return true, nil, given })
			pods := client.CoreV1().Pods("default")
			check := func(what string, err error) {
				t.Helper()
				if err != given {
					t.Errorf("%s: %v, want %v", what, err, given)
				}
			}
			_, err := pods.Get(ctx, "p", metav1.GetOptions{})
			check("get", err)
			if calls != 1 {
				t.Errorf("asked %d times", calls)
			}
			_, err = pods.List(ctx, metav1.ListOptions{})
			check("list", err)
			_, err = pods.Create(ctx, pod("p"), metav1.CreateOptions{})
			check("create", err)
			_, err = pods.Update(ctx, pod("p"), metav1.UpdateOptions{})
			check("update", err)
			_, err = pods.Patch(ctx, "p", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
			check("patch", err)
			check("delete", pods.Delete(ctx, "p", metav1.DeleteOptions{}))
			check("delete collection", pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
			_, err = pods.Watch(ctx, metav1.ListOptions{})
			check("watch", err)
			_, err = pods.GetLogs("p", &corev1.PodLogOptions{}).DoRaw(ctx)
			check("logs", err)
			_, err = pods.GetLogs("p", &corev1.PodLogOptions{}).Stream(ctx)
			check("stream of logs", err)
			_, err = client.CoreV1().Services("default").ProxyGet("http", "s", "80", "", nil).DoRaw(ctx)
			check("proxy", err)
		})
	}
}

// &metav1.Time{} marks an object as being deleted, and is null in JSON.
func TestZeroDeletionTimestamp(t *testing.T) {
	going := pod("going")
	going.DeletionTimestamp = &metav1.Time{}
	client := fake.NewSimpleClientset(going)
	pods := client.CoreV1().Pods("default")
	kept := func(what string, got *corev1.Pod, err error) {
		t.Helper()
		if err != nil || got.DeletionTimestamp == nil || !got.DeletionTimestamp.IsZero() {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	got, err := pods.Get(ctx, "going", metav1.GetOptions{})
	kept("get", got, err)
	list, err := pods.List(ctx, metav1.ListOptions{})
	kept("list", &list.Items[0], err)
	got.Labels = map[string]string{"a": "b"}
	got, err = pods.Update(ctx, got, metav1.UpdateOptions{})
	kept("update", got, err)
	going = going.DeepCopy()
	going.Name = "created"
	got, err = pods.Create(ctx, going, metav1.CreateOptions{})
	kept("create", got, err)
	obj, err := client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("pods"), "default", "going")
	kept("tracker", obj.(*corev1.Pod), err)
	w, err := pods.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kept("watch", (<-w.ResultChan()).Object.(*corev1.Pod), nil)
	w.Stop()
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, going, nil })
	got, err = pods.Get(ctx, "x", metav1.GetOptions{})
	kept("reactor", got, err)
	events := watch.NewFake()
	client.PrependWatchReactor("pods", clienttesting.DefaultWatchReactor(events, nil))
	if w, err = pods.Watch(ctx, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	events.Add(going)
	kept("event", (<-w.ResultChan()).Object.(*corev1.Pod), nil)
	w.Stop()

	tracker := clienttesting.NewObjectTracker(testScheme(t), nil)
	if err := tracker.Add(going); err != nil {
		t.Fatal(err)
	}
	obj, err = tracker.Get(corev1.SchemeGroupVersion.WithResource("pods"), "default", "created")
	kept("object tracker", obj.(*corev1.Pod), err)
	if !reflect.DeepEqual(obj, going) {
		t.Errorf("%#v, want %#v", obj, going)
	}
	going.Labels = map[string]string{"a": "b"}
	if err := tracker.Update(corev1.SchemeGroupVersion.WithResource("pods"), going, "default"); err != nil {
		t.Fatal(err)
	}
	obj, err = tracker.List(corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithKind("Pod"), "default")
	kept("list of an object tracker", &obj.(*corev1.PodList).Items[0], err)
}

// A test can use the rest of a clientset that was given an object without a name.
func TestNamelessObjects(t *testing.T) {
	nameless := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", GenerateName: "g-", Labels: map[string]string{"a": "b"}}}
	for name, client := range map[string]*fake.Clientset{
		"simple":  fake.NewSimpleClientset(nameless, configMap("c")),
		"checked": fake.NewClientset(nameless, configMap("c")),
		"a list":  fake.NewSimpleClientset(&corev1.PodList{Items: []corev1.Pod{*pod("p"), *nameless}}, configMap("c")),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := client.CoreV1().ConfigMaps("default").Get(ctx, "c", metav1.GetOptions{}); err != nil {
				t.Error(err)
			}
			_, err := client.CoreV1().Pods("default").Get(ctx, "p", metav1.GetOptions{})
			_, watched := client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{})
			_, tracked := client.Tracker().List(corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithKind("Pod"), "")
			for _, err := range []error{err, watched, tracked} {
				if err == nil || err.Error() != `fake: a *v1.Pod in namespace "n" was added without a name, generateName is "g-", labels are a=b` {
					t.Errorf("%v", err)
				}
			}
			client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, pod("made"), nil })
			if _, err := client.CoreV1().Pods("default").Get(ctx, "p", metav1.GetOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// NewClientset is a server: status is not created with an object, and identity is set.
func TestCheckedIsStrict(t *testing.T) {
	client := fake.NewClientset()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Status: appsv1.DeploymentStatus{Replicas: 3}}
	if _, err := client.AppsV1().Deployments("x").Create(ctx, d, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Error(err)
	}
	c, err := client.CoreV1().ConfigMaps("x").Create(ctx, configMapIn("x", "c"), metav1.CreateOptions{})
	if err != nil || c.UID == "" || c.ResourceVersion == "" || c.CreationTimestamp.IsZero() {
		t.Fatal(c, err)
	}
	c.UID = "other"
	if _, err := client.CoreV1().ConfigMaps("x").Update(ctx, c, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Error(err)
	}
}

func configMapIn(namespace, name string) *corev1.ConfigMap {
	c := configMap(name)
	c.Namespace = namespace
	return c
}

func testScheme(t *testing.T) *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// Programs use the fakes of single groups with reactors, and assert that the clients of a clientset are of these types.
func TestFakesOfGroups(t *testing.T) {
	core := &fakecorev1.FakeCoreV1{Fake: &clienttesting.Fake{}}
	core.AddReactor("get", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, pod(a.(clienttesting.GetAction).GetName()), nil
	})
	if p, err := core.Pods("x").Get(ctx, "made", metav1.GetOptions{}); err != nil || p.Name != "made" {
		t.Errorf("%v, %v", p, err)
	}
	if l, err := core.Nodes().List(ctx, metav1.ListOptions{}); err != nil || l.Items != nil {
		t.Errorf("%v, %v", l, err)
	}
	if len(core.Actions()) != 2 || core.RESTClient() == nil {
		t.Errorf("%v", core.Actions())
	}

	client := fake.NewSimpleClientset(pod("p"))
	client.CoreV1().(*fakecorev1.FakeCoreV1).PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("boom")
	})
	if err := client.CoreV1().Pods("default").Delete(ctx, "p", metav1.DeleteOptions{}); err == nil || err.Error() != "boom" {
		t.Error(err)
	}
	// Of the same objects.
	same := &fakecorev1.FakeCoreV1{Fake: &client.Fake}
	if p, err := same.Pods("default").Get(ctx, "p", metav1.GetOptions{}); err != nil || p.Name != "p" {
		t.Errorf("%v, %v", p, err)
	}
	if len(client.Actions()) != 2 {
		t.Errorf("%v", client.Actions())
	}
}
