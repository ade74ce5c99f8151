package listers_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/listers"
	appslisters "vedette.dev/listers/apps/v1"
	batchlisters "vedette.dev/listers/batch/v1"
	corelisters "vedette.dev/listers/core/v1"
	policylisters "vedette.dev/listers/policy/v1"
	policybetalisters "vedette.dev/listers/policy/v1beta1"
)

func indexer(t *testing.T, objs ...runtime.Object) cache.Indexer {
	t.Helper()
	i := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, obj := range objs {
		if err := i.Add(obj); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

func meta(namespace, name string, set labels.Set) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: set}
}

func selector(set map[string]string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: set}
}

var web = labels.Set{"app": "web"}

func TestNamespacedLister(t *testing.T) {
	pods := corelisters.NewPodLister(indexer(t,
		&corev1.Pod{ObjectMeta: meta("here", "one", web)},
		&corev1.Pod{ObjectMeta: meta("here", "two", nil)},
		&corev1.Pod{ObjectMeta: meta("there", "one", web)}))
	for name, tt := range map[string]struct {
		lister   listers.Lister[*corev1.Pod]
		selector labels.Selector
		want     int
	}{
		"all":             {pods, labels.Everything(), 3},
		"all with labels": {pods, web.AsSelector(), 2},
		"none":            {pods, labels.Nothing(), 0},
		"here":            {pods.Pods("here"), labels.Everything(), 2},
		"here and web":    {pods.Pods("here"), web.AsSelector(), 1},
		"elsewhere":       {pods.Pods("elsewhere"), labels.Everything(), 0},
		"any namespace":   {pods.Pods(""), labels.Everything(), 3},
	} {
		if got, err := tt.lister.List(tt.selector); err != nil || len(got) != tt.want {
			t.Errorf("%s: %d, %v; want %d", name, len(got), err, tt.want)
		}
	}
	if got, err := pods.Pods("there").Get("one"); err != nil || got.Namespace != "there" {
		t.Errorf("%v, %v", got, err)
	}
	got, err := pods.Pods("there").Get("two")
	if !apierrors.IsNotFound(err) || got != nil || err.Error() != `pod "two" not found` {
		t.Errorf("%v, %v", got, err)
	}
}

func TestClusterLister(t *testing.T) {
	nodes := corelisters.NewNodeLister(indexer(t, &corev1.Node{ObjectMeta: meta("", "one", nil)}))
	if got, err := nodes.Get("one"); err != nil || got.Name != "one" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := nodes.Get("two"); !apierrors.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}

func TestAnObjectOfAnotherTypeIsAnError(t *testing.T) {
	pods := corelisters.NewPodLister(indexer(t, &corev1.Node{ObjectMeta: meta("", "one", nil)}))
	if _, err := pods.List(labels.Everything()); err == nil || !strings.Contains(err.Error(), "Node") {
		t.Errorf("List: %v", err)
	}
	if _, err := pods.Pods("").Get("one"); err == nil || !strings.Contains(err.Error(), "Node") {
		t.Errorf("Get: %v", err)
	}
}

// The objects that select a pod: those of its namespace whose selectors match. One with an empty selector selects nothing,
// but for budgets and jobs, and one with a selector that cannot be read does neither.
func TestOwnersOfAPod(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: meta("here", "p", web)}
	bad := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Sideways"}}}
	sets := func(name, namespace string, s *metav1.LabelSelector) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{ObjectMeta: meta(namespace, name, nil), Spec: appsv1.DaemonSetSpec{Selector: s}}
	}
	daemons := appslisters.NewDaemonSetLister(indexer(t, sets("yes", "here", selector(web)), sets("elsewhere", "there", selector(web)),
		sets("other", "here", selector(map[string]string{"app": "db"})), sets("empty", "here", selector(nil)), sets("bad", "here", bad)))
	found, err := daemons.GetPodDaemonSets(pod)
	if err != nil || len(found) != 1 || found[0].Name != "yes" {
		t.Errorf("%v, %v", found, err)
	}
	history := &appsv1.ControllerRevision{ObjectMeta: meta("here", "r", web)}
	if found, err = daemons.GetHistoryDaemonSets(history); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	for _, p := range []*corev1.Pod{
		{ObjectMeta: meta("here", "unlabelled", nil)},
		{ObjectMeta: meta("here", "orphan", labels.Set{"app": "none"})},
	} {
		if found, err := daemons.GetPodDaemonSets(p); err == nil || found != nil || !strings.Contains(err.Error(), p.Name) {
			t.Errorf("%s: %v, %v", p.Name, found, err)
		}
	}

	budgets := policylisters.NewPodDisruptionBudgetLister(indexer(t,
		&policyv1.PodDisruptionBudget{ObjectMeta: meta("here", "all", nil), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector(nil)}},
		&policyv1.PodDisruptionBudget{ObjectMeta: meta("here", "none", nil)}))
	if found, err := budgets.GetPodPodDisruptionBudgets(&corev1.Pod{ObjectMeta: meta("here", "p", nil)}); err != nil || len(found) != 1 || found[0].Name != "all" {
		t.Errorf("%v, %v", found, err)
	}
	beta := policybetalisters.NewPodDisruptionBudgetLister(indexer(t,
		&policyv1beta1.PodDisruptionBudget{ObjectMeta: meta("here", "all", nil), Spec: policyv1beta1.PodDisruptionBudgetSpec{Selector: selector(nil)}}))
	if found, err := beta.GetPodPodDisruptionBudgets(pod); err == nil {
		t.Errorf("got %v", found)
	}
	jobs := batchlisters.NewJobLister(indexer(t,
		&batchv1.Job{ObjectMeta: meta("here", "yes", nil), Spec: batchv1.JobSpec{Selector: selector(web)}}))
	if found, err := jobs.GetPodJobs(pod); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	controllers := corelisters.NewReplicationControllerLister(indexer(t,
		&corev1.ReplicationController{ObjectMeta: meta("here", "yes", nil), Spec: corev1.ReplicationControllerSpec{Selector: web}},
		&corev1.ReplicationController{ObjectMeta: meta("here", "empty", nil)}))
	if found, err := controllers.GetPodControllers(pod); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	replicas := appslisters.NewReplicaSetLister(indexer(t,
		&appsv1.ReplicaSet{ObjectMeta: meta("here", "yes", nil), Spec: appsv1.ReplicaSetSpec{Selector: selector(web)}}))
	if found, err := replicas.GetPodReplicaSets(pod); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	stateful := appslisters.NewStatefulSetLister(indexer(t,
		&appsv1.StatefulSet{ObjectMeta: meta("here", "yes", nil), Spec: appsv1.StatefulSetSpec{Selector: selector(web)}}))
	if found, err := stateful.GetPodStatefulSets(pod); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestListersOfNamespaces has the lister of a namespace be the same each time, for as many as are remembered, and right for all.
func TestListersOfNamespaces(t *testing.T) {
	const many = 300
	var objs []runtime.Object
	for i := range many {
		objs = append(objs, &corev1.Pod{ObjectMeta: meta(fmt.Sprint("ns", i), "web", web)})
	}
	pods := corelisters.NewPodLister(indexer(t, objs...))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range many {
				namespace := fmt.Sprint("ns", i)
				pod, err := pods.Pods(namespace).Get("web")
				if err != nil || pod.Namespace != namespace {
					t.Errorf("in %s: %v, %v", namespace, pod, err)
				}
			}
		})
	}
	all.Wait()
	if _, err := pods.Pods("ns1").Get("none"); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	if list, err := pods.Pods("").List(labels.Everything()); err != nil || len(list) != many {
		t.Errorf("the empty namespace has %d, %v", len(list), err)
	}
	pods = corelisters.NewPodLister(indexer(t, objs...))
	for i := range 256 {
		if namespace := fmt.Sprint("ns", i); pods.Pods(namespace) != pods.Pods(namespace) {
			t.Fatalf("the lister of %s is made each time", namespace)
		}
	}
	if pods.Pods("ns299") == pods.Pods("ns299") {
		t.Error("more listers are remembered than there is room for")
	}
}
