package ownwrites

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

func TestOwnEvents(t *testing.T) {
	tracker := newTracker(t, newStub(), Config{})
	at := func(version int) *corev1.ConfigMap { return configMap("a", "1", version, "red") }
	mustNot(t, tracker.Created(at(5)))
	mustNot(t, tracker.Updated(at(7), "5"))
	mustNot(t, tracker.Updated(at(9), "7"))
	mustNot(t, tracker.Updated(at(9), "9"))   // it changed nothing
	mustNot(t, tracker.Wrote(at(12)))         // a patch: was it ours?
	mustNot(t, tracker.Updated(at(14), "13")) // another client wrote 13
	mustNot(t, tracker.Updated(at(20), "21")) // nonsense, in a circle
	mustNot(t, tracker.Updated(at(21), "20"))

	want(t, "created", tracker.OwnAdd(at(5)), true)
	want(t, "created, and what followed, merged", tracker.OwnAdd(at(9)), true)
	want(t, "created, but patched", tracker.OwnAdd(at(12)), false)
	want(t, "created, but changed by others", tracker.OwnAdd(at(14)), false)
	want(t, "update", tracker.OwnUpdate(at(5), at(7)), true)
	want(t, "two updates", tracker.OwnUpdate(at(5), at(9)), true)
	want(t, "others before", tracker.OwnUpdate(at(4), at(7)), false)
	want(t, "others in between", tracker.OwnUpdate(at(9), at(14)), false)
	want(t, "the last step alone", tracker.OwnUpdate(at(13), at(14)), true)
	want(t, "a patch", tracker.OwnUpdate(at(9), at(12)), false)
	want(t, "a resync", tracker.OwnUpdate(at(9), at(9)), false)
	want(t, "a circle", tracker.OwnUpdate(at(1), at(20)), false)
	want(t, "another object", tracker.OwnUpdate(configMap("a", "2", 5, ""), at(7)), false)
	want(t, "nil", tracker.OwnAdd(nil) || tracker.OwnUpdate(nil, at(7)) || tracker.OwnDelete(nil) || tracker.OwnAdd((*corev1.Pod)(nil)), false)
	want(t, "not an object", tracker.OwnAdd(7) || tracker.OwnUpdate(7, 8) || tracker.OwnDelete("x"), false)

	want(t, "deleted by others", tracker.OwnDelete(at(30)), false)
	mustNot(t, tracker.Deleted(Deletion{Namespace: "ns", Name: "a", UID: "1"}))
	want(t, "deleted", tracker.OwnDelete(at(31)), true)
	want(t, "deleted, found out by a list", tracker.OwnDelete(cache.DeletedFinalStateUnknown{Key: "ns/a", Obj: at(14)}), true)
	want(t, "a tombstone without an object", tracker.OwnDelete(cache.DeletedFinalStateUnknown{Key: "ns/a"}), false)
	want(t, "another one of the same name", tracker.OwnDelete(configMap("a", "2", 31, "")), false)
}

// The start of a deletion is always delivered. Its end is own if the last write was own.
func TestFinalizers(t *testing.T) {
	tracker := newTracker(t, newStub(), Config{})
	now := metav1.Now()
	alive := configMap("a", "1", 5, "red")
	alive.Finalizers = []string{"x/y"}
	mustNot(t, tracker.Created(alive))
	ending := alive.DeepCopy()
	ending.DeletionTimestamp, ending.ResourceVersion = &now, "6"
	mustNot(t, tracker.Updated(ending, "5"))
	want(t, "began", tracker.OwnUpdate(alive, ending), false)
	want(t, "ended by others", tracker.OwnDelete(ending), false)
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@6")
	over := ending.DeepCopy()
	over.Finalizers, over.ResourceVersion = nil, "7"
	mustNot(t, tracker.Updated(over, "6"))
	want(t, "ended", tracker.OwnDelete(over), true)
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "none")

	// A namespace has its finalizers elsewhere.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "2", ResourceVersion: "8", DeletionTimestamp: &now}}
	namespace.Spec.Finalizers = []corev1.FinalizerName{"kubernetes"}
	want(t, "a namespace is gone", isGone(namespace, namespace), false)
	namespace.Spec.Finalizers = nil
	want(t, "a namespace is gone", isGone(namespace, namespace), true)
	seconds := int64(30)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now, DeletionGracePeriodSeconds: &seconds}}
	want(t, "a pod is gone", isGone(pod, pod), false)
}

func TestHandlers(t *testing.T) {
	tracker := newTracker(t, newStub(), Config{})
	var heard []string
	note := func(what string, obj any) { heard = append(heard, what+" "+short(obj)) }
	untyped := tracker.Handler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { note("add", obj) },
		UpdateFunc: func(_, obj any) { note("update", obj) },
		DeleteFunc: func(obj any) { note("delete", obj) },
	})
	structs := TypedHandler(tracker, cache.TypedResourceEventHandlerFuncs[*corev1.ConfigMap]{
		AddFunc:    func(obj *corev1.ConfigMap) { note("add", obj) },
		UpdateFunc: func(_, obj *corev1.ConfigMap) { note("update", obj) },
		DeleteFunc: func(obj cache.DeletedObject[*corev1.ConfigMap]) { note("delete", obj.OptionalObj) },
	})
	a, b, c := configMap("a", "1", 5, ""), configMap("a", "1", 6, ""), configMap("a", "1", 7, "")
	mustNot(t, tracker.Created(a))
	mustNot(t, tracker.Updated(b, "5"))
	for _, own := range []bool{false, true} {
		if own {
			mustNot(t, tracker.Deleted(Deletion{Namespace: "ns", Name: "a", UID: "1"}))
		}
		untyped.OnAdd(a, false)
		untyped.OnAdd(a, true) // it was there when the handler came
		untyped.OnUpdate(a, b)
		untyped.OnUpdate(b, c)
		untyped.OnDelete(c)
		structs.OnAdd(a, false)
		structs.OnAdd(a, true)
		structs.OnUpdate(a, b)
		structs.OnUpdate(b, c)
		structs.OnDelete(cache.DeletedObject[*corev1.ConfigMap]{OptionalObj: c})
	}
	structs.OnDelete(cache.DeletedObject[*corev1.ConfigMap]{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "x"}, OptionalObj: configMap("x", "", 1, "")})
	want(t, "heard", strings.Join(heard, ", "), "add a@5, update a@7, delete a@7, add a@5, update a@7, delete a@7, add a@5, update a@7, add a@5, update a@7, delete x@1")
	want(t, "echoes", tracker.Stats().Echoes, uint64(10))
}

// The watch may be faster than the answer: then the handler waits a little.
func TestAnEventBeforeItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker := newTracker(t, newStub(), Config{})
		w := writer{t: tracker, namespace: "ns"}
		send := func(s sending, took time.Duration, answer *corev1.ConfigMap) {
			go func() {
				_, _ = write(w, s, nil, func() (*corev1.ConfigMap, error) {
					time.Sleep(took)
					return answer, nil
				})
			}()
			synctest.Wait()
		}
		generated := configMap("a-xyz", "1", 5, "")
		generated.GenerateName = "a-"
		send(w.created(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}}), time.Millisecond, configMap("a-123", "0", 4, ""))
		send(w.created(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}}), 30*time.Millisecond, generated)
		began := time.Now()
		want(t, "of others", tracker.OwnAdd(configMap("b", "9", 5, "")), false)
		want(t, "waited", time.Since(began), time.Duration(0))
		want(t, "own", tracker.OwnAdd(generated), true)
		want(t, "waited", time.Since(began), 30*time.Millisecond)

		next := configMap("a-xyz", "1", 6, "")
		send(w.updated(generated), time.Second, next)
		began = time.Now()
		want(t, "own, but too late", tracker.OwnUpdate(generated, next), false)
		want(t, "waited", time.Since(began), defaultAnswerTimeout)
		time.Sleep(time.Second)
		synctest.Wait()
		want(t, "own", tracker.OwnUpdate(generated, next), true)

		tracker.config.AnswerTimeout = -1
		send(w.updated(next), time.Second, configMap("a-xyz", "1", 7, ""))
		began = time.Now()
		want(t, "without a timeout", tracker.OwnUpdate(next, configMap("a-xyz", "1", 7, "")), false)
		want(t, "waited", time.Since(began), time.Duration(0))
		time.Sleep(time.Second)
		synctest.Wait()
		mustNot(t, tracker.check())
	})
}

func TestOldWritesAreForgotten(t *testing.T) {
	tracker := newTracker(t, newStub(), Config{Remember: 3})
	for n := range 5 {
		mustNot(t, tracker.Created(configMap(fmt.Sprint(n), fmt.Sprint(n), n+1, "")))
	}
	for n := range 5 {
		want(t, fmt.Sprint(n), tracker.OwnAdd(configMap(fmt.Sprint(n), fmt.Sprint(n), n+1, "")), n > 1)
	}
	for n := range 2 * maxSteps {
		mustNot(t, tracker.Updated(configMap("4", "4", n+101, ""), fmt.Sprint(n+100)))
	}
	last := configMap("4", "4", 2*maxSteps+100, "")
	want(t, "as many as are remembered", tracker.OwnUpdate(configMap("4", "4", maxSteps+100, ""), last), true)
	want(t, "one more", tracker.OwnUpdate(configMap("4", "4", maxSteps+99, ""), last), false)
	mustNot(t, tracker.check())
}
