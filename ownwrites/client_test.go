package ownwrites

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

// workshop is a server, and an informer of pods whose watch lags by a minute.
type workshop struct {
	t       *testing.T
	ctx     context.Context
	server  *apitest.Server
	core    *typed.CoreV1Client
	dynamic *dynamic.DynamicClient
	tracker *Tracker
	heard   []string // the events of the handler
}

var podResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func inWorkshop(t *testing.T, config Config, test func(*workshop)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &workshop{t: t, ctx: ctx, server: apitest.New(t, apitest.Config{InProcess: true})}
		var err error
		w.core, err = typed.NewForConfig(w.server.RESTConfig())
		mustNot(t, err)
		w.dynamic, err = dynamic.NewForConfig(w.server.RESTConfig())
		mustNot(t, err)
		informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(w.core.RESTClient(), "pods", "", nil), &corev1.Pod{}, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		w.tracker, err = New(informer, config)
		mustNot(t, err)
		_, err = informer.AddEventHandler(w.tracker.Handler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { w.heard = append(w.heard, "add "+metaOf(obj).GetName()) },
			UpdateFunc: func(_, obj any) { w.heard = append(w.heard, "update "+metaOf(obj).GetName()) },
			DeleteFunc: func(obj any) { w.heard = append(w.heard, "delete "+metaOf(obj).GetName()) },
		}))
		mustNot(t, err)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
		cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
		_, err = w.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"watch"}}, Effect: apitest.Lag, Delay: time.Minute})
		mustNot(t, err)
		test(w)
		mustNot(t, w.tracker.check())
		cancel()
		<-ended
		mustNot(t, w.tracker.Close())
	})
}

// shows checks what the cache shows of a pod, in words.
func (w *workshop) shows(name, label string) *corev1.Pod {
	w.t.Helper()
	obj, exists, err := w.tracker.Indexer().GetByKey("default/" + name)
	mustNot(w.t, err)
	if !exists {
		want(w.t, name, "none", label)
		return nil
	}
	pod := obj.(*corev1.Pod)
	got := pod.Labels["step"]
	if pod.DeletionTimestamp != nil {
		got += ", ending"
	}
	want(w.t, name, got, label)
	return pod
}

// catchUp lets the watch bring everything, after which nothing may wait.
func (w *workshop) catchUp() {
	w.t.Helper()
	time.Sleep(250 * time.Second)
	synctest.Wait()
	want(w.t, "waiting", w.tracker.Stats().Waiting, 0)
	want(w.t, "refused", w.tracker.Stats().Refused, uint64(0))
}

func newPod(name, step string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"step": step}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

func label(step string) []byte { return []byte(`{"metadata":{"labels":{"step":"` + step + `"}}}`) }

func TestTheTypedClient(t *testing.T) {
	inWorkshop(t, Config{}, func(w *workshop) {
		pods := Client(w.core.Pods("default"), w.tracker)
		pod, err := pods.Create(w.ctx, newPod("a", "created"), metav1.CreateOptions{})
		mustNot(t, err)
		w.shows("a", "created")
		pod.Labels["step"] = "updated"
		pod, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{})
		mustNot(t, err)
		w.shows("a", "updated")
		pod.Status.Message = "hello"
		pod, err = pods.UpdateStatus(w.ctx, pod, metav1.UpdateOptions{})
		mustNot(t, err)
		want(t, "status", w.shows("a", "updated").Status.Message, "hello")
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, label("patched"), metav1.PatchOptions{})
		mustNot(t, err)
		w.shows("a", "patched")
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, []byte(`{"status":{"message":"bye"}}`), metav1.PatchOptions{}, "status")
		mustNot(t, err)
		want(t, "status", w.shows("a", "patched").Status.Message, "bye")
		cfg, err := gentype.Apply(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{"step": "applied"}}}},
			corev1.SchemeGroupVersion.WithKind("Pod"))
		mustNot(t, err)
		_, err = pods.Apply(w.ctx, cfg, metav1.ApplyOptions{FieldManager: "m", Force: true})
		mustNot(t, err)
		w.shows("a", "applied")

		// A conflict changes nothing, and neither does a dry run.
		if _, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Error(err)
		}
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, label("dry"), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		mustNot(t, err)
		mustNot(t, pods.Delete(w.ctx, "a", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
		w.shows("a", "applied")

		none := int64(0)
		mustNot(t, pods.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: &none}))
		w.shows("a", "none")
		if err := pods.Delete(w.ctx, "a", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			t.Error(err)
		}
		var _ gentype.Interface[*corev1.Pod, *corev1.PodList] = pods
		w.catchUp()
		// The author of a patch is unknown.
		want(t, "heard", w.heard, []string{"update a", "update a", "update a", "update a"}) // the last is that it ends
	})
}

// A deletion with finalizers or a grace period is an update first.
func TestDeletionsThatTakeTime(t *testing.T) {
	inWorkshop(t, Config{}, func(w *workshop) {
		pods := Client(w.core.Pods("default"), w.tracker)
		pod := newPod("a", "new")
		pod.Finalizers = []string{"x.y/z"}
		_, err := pods.Create(w.ctx, pod, metav1.CreateOptions{})
		mustNot(t, err)
		none := int64(0)
		mustNot(t, pods.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: &none}))
		pod = w.shows("a", "new, ending").DeepCopy()
		pod.Finalizers = nil
		_, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{})
		mustNot(t, err)
		w.shows("a", "none")

		b := newPod("b", "new")
		b.Spec.NodeName = "n" // only then is there a write to wait for
		_, err = pods.Create(w.ctx, b, metav1.CreateOptions{})
		mustNot(t, err)
		mustNot(t, pods.Delete(w.ctx, "b", metav1.DeleteOptions{}))
		w.shows("b", "new, ending")
		mustNot(t, pods.Delete(w.ctx, "b", metav1.DeleteOptions{GracePeriodSeconds: &none}))
		w.shows("b", "none")
		w.catchUp()
		want(t, "heard", w.heard, []string{"update a", "update b", "update b"}) // that they began to end, and shall end at once
	})
}

func TestTheDynamicClient(t *testing.T) {
	inWorkshop(t, Config{Object: &corev1.Pod{}}, func(w *workshop) {
		pods := Dynamic(w.dynamic.Resource(podResource), w.tracker).Namespace("default")
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(newPod("a", "created"))
		mustNot(t, err)
		pod, err := pods.Create(w.ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{})
		mustNot(t, err)
		w.shows("a", "created")
		pod.SetLabels(map[string]string{"step": "updated"})
		pod, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{})
		mustNot(t, err)
		w.shows("a", "updated")
		mustNot(t, unstructured.SetNestedField(pod.Object, "hello", "status", "message"))
		_, err = pods.UpdateStatus(w.ctx, pod, metav1.UpdateOptions{})
		mustNot(t, err)
		want(t, "status", w.shows("a", "updated").Status.Message, "hello")
		_, err = pods.Patch(w.ctx, "a", types.StrategicMergePatchType, label("patched"), metav1.PatchOptions{})
		mustNot(t, err)
		w.shows("a", "patched")
		applied := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": "a", "labels": map[string]any{"step": "applied"}}}}
		_, err = pods.Apply(w.ctx, "a", applied, metav1.ApplyOptions{FieldManager: "m", Force: true})
		mustNot(t, err)
		w.shows("a", "applied")
		none := int64(0)
		mustNot(t, pods.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: &none}))
		w.shows("a", "none")
		w.catchUp()
		want(t, "heard", w.heard, []string{"update a", "update a", "update a"}) // the last is that it ends
	})
}

// With LockPatches the events of patches and applies are own ones, too, and changes by others are still delivered.
func TestLockedPatches(t *testing.T) {
	inWorkshop(t, Config{LockPatches: true, Object: &corev1.Pod{}}, func(w *workshop) {
		pods := Client(w.core.Pods("default"), w.tracker)
		all := Dynamic(w.dynamic.Resource(podResource), w.tracker)
		_, err := pods.Create(w.ctx, newPod("a", "created"), metav1.CreateOptions{})
		mustNot(t, err)
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, label("patched"), metav1.PatchOptions{})
		mustNot(t, err)
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, label("patched"), metav1.PatchOptions{}) // nothing new
		mustNot(t, err)
		applied := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": "a", "labels": map[string]any{"step": "applied", "n": "1"}}}}
		_, err = all.Namespace("default").Apply(w.ctx, "a", applied, metav1.ApplyOptions{FieldManager: "m", Force: true})
		mustNot(t, err)
		want(t, "what was given", applied.GetResourceVersion(), "")
		cfg, err := gentype.Apply(applied, corev1.SchemeGroupVersion.WithKind("Pod"))
		mustNot(t, err)
		_, err = pods.Apply(w.ctx, cfg, metav1.ApplyOptions{FieldManager: "m2"})
		mustNot(t, err)
		w.shows("a", "applied")
		w.catchUp()
		want(t, "heard", len(w.heard), 0)

		// Others were there: the patch is sent again without a version, and its event counts as foreign.
		_, err = w.core.Pods("default").Patch(w.ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"others":"1"}}}`), metav1.PatchOptions{})
		mustNot(t, err)
		_, err = pods.Patch(w.ctx, "a", types.MergePatchType, label("again"), metav1.PatchOptions{})
		mustNot(t, err)
		want(t, "others", w.shows("a", "again").Labels["others"], "1")
		w.catchUp()
		want(t, "heard", w.heard, []string{"update a", "update a"})

		// One that brings its version is left as it is.
		stale := []byte(`{"metadata":{"resourceVersion":"1","labels":{"step":"no"}}}`)
		if _, err = pods.Patch(w.ctx, "a", types.MergePatchType, stale, metav1.PatchOptions{}); !apierrors.IsConflict(err) {
			t.Error(err)
		}
		for _, bad := range []string{"", "null", "7", `{"metadata":7}`, `{"metadata":null}`, "[]"} {
			if out, ok := withVersion([]byte(bad), "1"); ok {
				t.Errorf("%q became %s", bad, out)
			}
		}
	})
}

// An object that is deleted before it was seen does not appear later.
func TestTheClientDeletesWhatItNeverSaw(t *testing.T) {
	inWorkshop(t, Config{}, func(w *workshop) {
		for _, name := range []string{"a", "b"} {
			_, err := w.server.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}})
			mustNot(t, err)
		}
		// Pods answer with the object; so of config maps, though the informer is one of pods.
		maps := Client(w.core.ConfigMaps("default"), w.tracker)
		mustNot(t, maps.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		want(t, "recorded", w.tracker.Stats().Recorded, uint64(1))
		fault, err := w.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"list"}}, Effect: apitest.AnswerForbidden})
		mustNot(t, err)
		mustNot(t, maps.Delete(w.ctx, "b", metav1.DeleteOptions{}))
		want(t, "recorded", w.tracker.Stats().Recorded, uint64(2))
		want(t, "waiting", w.tracker.Stats().Waiting, 2)
		time.Sleep(250 * time.Second)
		want(t, "waiting, as its bound is not known", w.tracker.Stats().Waiting, 1)
		time.Sleep(giveUp)
		want(t, "waiting", w.tracker.Stats().Waiting, 0)

		// The server is asked again.
		_, err = w.server.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}})
		mustNot(t, err)
		mustNot(t, maps.Delete(w.ctx, "c", metav1.DeleteOptions{}))
		want(t, "waiting", w.tracker.Stats().Waiting, 1)
		fault.Remove()
		time.Sleep(400 * time.Second) // a bookmark that lags is lost with its watch; less than giveUp, which would end the wait as well
		want(t, "waiting", w.tracker.Stats().Waiting, 0)
	})
}
