package fake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/gentype"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/fake"
	clienttesting "vedette.dev/testing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

// labelPods is the sort of code that people test with a fake.
func labelPods(client kubernetes.Interface, label string) (int, error) {
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, fmt.Errorf("list: %w", err)
	}
	changed := 0
	for i := range list.Items {
		p := &list.Items[i]
		if p.Labels["team"] == label {
			continue
		}
		p.Labels = map[string]string{"team": label}
		if _, err := client.CoreV1().Pods(p.Namespace).Update(ctx, p, metav1.UpdateOptions{}); err != nil {
			return changed, fmt.Errorf("update: %w", err)
		}
		changed++
	}
	return changed, nil
}

func TestAsPeopleTest(t *testing.T) {
	boom := errors.New("boom")
	labelled := pod("labelled")
	labelled.Labels = map[string]string{"team": "a"}
	tests := []struct {
		name    string
		objects []runtime.Object
		react   func(*fake.Clientset)
		changed int
		is      func(error) bool
		actions []string
	}{
		{name: "nothing", actions: []string{"list pods"}},
		{name: "one", objects: []runtime.Object{pod("p")}, changed: 1, actions: []string{"list pods", "update pods"}},
		{name: "a list", objects: []runtime.Object{&corev1.PodList{Items: []corev1.Pod{*pod("p"), *pod("q")}}, labelled}, changed: 2,
			actions: []string{"list pods", "update pods", "update pods"}},
		{name: "the list fails", objects: []runtime.Object{pod("p")}, react: func(c *fake.Clientset) {
			c.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, boom })
		}, is: func(err error) bool { return errors.Is(err, boom) }, actions: []string{"list pods"}},
		{name: "the update conflicts", objects: []runtime.Object{pod("p")}, react: func(c *fake.Clientset) {
			c.Fake.PrependReactor("update", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewConflict(a.GetResource().GroupResource(), "p", errors.New("another writer"))
			})
		}, is: apierrors.IsConflict, actions: []string{"list pods", "update pods"}},
		{name: "other reactors are not asked", objects: []runtime.Object{pod("p")}, react: func(c *fake.Clientset) {
			fail := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, boom }
			c.PrependReactor("update", "secrets", fail)
			c.PrependReactor("get", "pods", fail)
			c.PrependReactor("*", "pods/status", fail)
			c.AddReactor("*", "*", fail) // behind the server
		}, changed: 1, actions: []string{"list pods", "update pods"}},
		{name: "a reactor answers", react: func(c *fake.Clientset) {
			c.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, &corev1.PodList{Items: []corev1.Pod{*pod("p")}}, nil
			})
			c.PrependReactor("update", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
				return true, a.(clienttesting.UpdateAction).GetObject(), nil
			})
		}, changed: 1, actions: []string{"list pods", "update pods"}},
		{name: "a reactor looks on", objects: []runtime.Object{pod("p")}, react: func(c *fake.Clientset) {
			c.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return false, nil, boom })
		}, changed: 1, actions: []string{"list pods", "update pods"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := fake.NewSimpleClientset(tt.objects...)
			if tt.react != nil {
				tt.react(client)
			}
			changed, err := labelPods(client, "a")
			if changed != tt.changed || (err == nil) != (tt.is == nil) || tt.is != nil && !tt.is(err) {
				t.Errorf("changed %d, %v", changed, err)
			}
			if got := verbs(client); !slices.Equal(got, tt.actions) {
				t.Errorf("actions %v, want %v", got, tt.actions)
			}
			client.ClearActions()
			if len(client.Actions()) != 0 {
				t.Error("actions are left")
			}
		})
	}
}

func verbs(client *fake.Clientset) (list []string) {
	for _, a := range client.Actions() {
		resource := a.GetResource().Resource
		if a.GetSubresource() != "" {
			resource += "/" + a.GetSubresource()
		}
		list = append(list, a.GetVerb()+" "+resource)
	}
	return list
}

// Every verb becomes the action that client-go's fakes record.
func TestActions(t *testing.T) {
	client := fake.NewSimpleClientset(pod("p"), configMap("c"), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d", Namespace: "default"}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	pods := client.CoreV1().Pods("default")
	gvr := corev1.SchemeGroupVersion.WithResource
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	patch := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	must(pods.Get(ctx, "p", metav1.GetOptions{}))
	must(pods.List(ctx, metav1.ListOptions{LabelSelector: "a=b", FieldSelector: "spec.nodeName=x"}))
	must(pods.Create(ctx, pod("q"), metav1.CreateOptions{FieldManager: "me"}))
	must(pods.UpdateStatus(ctx, pod("q"), metav1.UpdateOptions{}))
	must(pods.Patch(ctx, "p", types.StrategicMergePatchType, patch, metav1.PatchOptions{}))
	must(pods.Patch(ctx, "p", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "me"}, "status"))
	must(nil, pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: new(int64(3))}))
	must(nil, pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "x=y"}))
	must(client.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{}))
	must(client.AppsV1().Deployments("default").GetScale(ctx, "d", metav1.GetOptions{}))
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
	must(w, err)
	w.Stop()
	logs, err := pods.GetLogs("q", &corev1.PodLogOptions{Container: "c", TailLines: new(int64(7))}).DoRaw(ctx)
	if must(nil, err); string(logs) != "fake logs" {
		t.Errorf("logs %q", logs)
	}

	actions := client.Actions()
	if len(actions) != 12 {
		t.Fatalf("%d actions: %v", len(actions), verbs(client))
	}
	if a := actions[0].(clienttesting.GetAction); a.GetName() != "p" || a.GetNamespace() != "default" || !a.Matches("get", "pods") || a.GetResource() != gvr("pods") {
		t.Errorf("%#v", a)
	}
	if a := actions[1].(clienttesting.ListActionImpl); a.GetListRestrictions().Labels.String() != "a=b" || a.ListRestrictions.Fields.String() != "spec.nodeName=x" || a.Kind.Kind != "Pod" {
		t.Errorf("%#v", a)
	}
	create := actions[2].(clienttesting.CreateAction)
	if created := create.GetObject().(*corev1.Pod); created.Name != "q" || created.Kind != "" || create.(clienttesting.CreateActionImpl).CreateOptions.FieldManager != "me" {
		t.Errorf("%#v", create)
	}
	if a := actions[3].(clienttesting.UpdateAction); a.GetSubresource() != "status" || !a.Matches("update", "pods/status") || !a.Matches("update", "pods") || a.Matches("update", "pods/scale") {
		t.Errorf("%#v", a)
	}
	if a := actions[4].(clienttesting.PatchAction); string(a.GetPatch()) != string(patch) || a.GetPatchType() != types.StrategicMergePatchType || a.GetName() != "p" {
		t.Errorf("%#v", a)
	}
	if a := actions[5].(clienttesting.PatchActionImpl); a.Subresource != "status" || a.PatchOptions.FieldManager != "me" {
		t.Errorf("%#v", a)
	}
	if a := actions[6].(clienttesting.DeleteAction); a.GetName() != "p" || *a.GetDeleteOptions().GracePeriodSeconds != 3 {
		t.Errorf("%#v", a)
	}
	if a := actions[7].(clienttesting.DeleteCollectionAction); a.GetVerb() != "delete-collection" || a.GetListRestrictions().Labels.String() != "x=y" {
		t.Errorf("%#v", a)
	}
	if a := actions[8].(clienttesting.GetActionImpl); a != clienttesting.NewRootGetAction(gvr("nodes"), "n") {
		t.Errorf("%#v", a)
	}
	if a := actions[9]; a.GetSubresource() != "scale" {
		t.Errorf("%#v", a)
	}
	if a := actions[10].(clienttesting.WatchAction); a.GetWatchRestrictions().ResourceVersion != "1" {
		t.Errorf("%#v", a)
	}
	if a := actions[11].(clienttesting.GenericAction); a.GetValue().(*corev1.PodLogOptions).Container != "c" || *a.GetValue().(*corev1.PodLogOptions).TailLines != 7 {
		t.Errorf("%#v", a)
	}
}

// What people know of the simple fake, and what is better now.
func TestSimpleTakesObjectsAsTheyAre(t *testing.T) {
	running := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "Not_A_Name"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	terminating := configMap("going")
	terminating.DeletionTimestamp, terminating.UID = new(metav1.Now()), "mine"
	client := fake.NewSimpleClientset(running, terminating)
	if list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 0 {
		t.Errorf("namespaces: %v, %v", list, err)
	}
	got, err := client.CoreV1().Pods("").Get(ctx, "Not_A_Name", metav1.GetOptions{})
	if err != nil || got.Status.Phase != corev1.PodRunning || len(got.Spec.Containers) != 0 || got.Spec.RestartPolicy != "" {
		t.Errorf("%v, %v", got, err)
	}
	if c, err := client.CoreV1().ConfigMaps("default").Get(ctx, "going", metav1.GetOptions{}); err != nil || c.UID != "mine" || c.DeletionTimestamp == nil {
		t.Errorf("%v, %v", c, err)
	}
	// The status can be written together with the rest, and apart.
	p := pod("p")
	p.Status.Phase = corev1.PodPending
	if p, err = client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil || p.Status.Phase != corev1.PodPending {
		t.Fatal(p, err)
	}
	p.Status.Phase, p.Spec.NodeName = corev1.PodRunning, "n"
	if p, err = client.CoreV1().Pods("default").Update(ctx, p, metav1.UpdateOptions{}); err != nil || p.Status.Phase != corev1.PodRunning {
		t.Fatal(p, err)
	}
	p.Status.Phase, p.Spec.NodeName = corev1.PodFailed, "other"
	if p, err = client.CoreV1().Pods("default").UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil || p.Status.Phase != corev1.PodFailed || p.Spec.NodeName != "n" {
		t.Fatal(p, err)
	}
	if err := client.CoreV1().Pods("default").Delete(ctx, "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("default").Get(ctx, "p", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
	// Versions that no server has any more.
	ingress := &extensionsv1beta1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: "i", Namespace: "x"}}
	if _, err := client.ExtensionsV1beta1().Ingresses("x").Create(ctx, ingress, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	// generateName, which was an empty name before.
	g, err := client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "g-"}}, metav1.CreateOptions{})
	if err != nil || len(g.Name) != 7 || g.Namespace != "default" {
		t.Errorf("%v, %v", g, err)
	}
	if _, err := client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("without a name: %v", err)
	}
}

// Only the checked one has versions.
func TestVersionsAndFinalizers(t *testing.T) {
	for name, client := range map[string]*fake.Clientset{"simple": fake.NewSimpleClientset(), "checked": fake.NewClientset()} {
		t.Run(name, func(t *testing.T) {
			maps := client.CoreV1().ConfigMaps("anywhere")
			c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Finalizers: []string{"example.com/wait"}, Labels: map[string]string{"a": "b"}}}
			first, err := maps.Create(ctx, c, metav1.CreateOptions{})
			checked := name == "checked"
			if err != nil || (first.ResourceVersion != "") != checked || (first.UID != "") != checked || first.CreationTimestamp.IsZero() == checked {
				t.Fatal(first, err)
			}
			if _, err := maps.Create(ctx, c, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
				t.Errorf("created twice: %v", err)
			}
			second := first.DeepCopy()
			second.Data = map[string]string{"x": "y"}
			if second, err = maps.Update(ctx, second, metav1.UpdateOptions{}); err != nil || (second.ResourceVersion != first.ResourceVersion) != checked {
				t.Fatal(second, err)
			}
			if _, err := maps.Update(ctx, first, metav1.UpdateOptions{}); apierrors.IsConflict(err) != checked {
				t.Errorf("an old version: %v", err)
			}
			for selector, want := range map[string]int{"a=b": 1, "a!=b": 0} {
				if list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: selector}); err != nil || len(list.Items) != want {
					t.Errorf("%s: %v, %v", selector, list, err)
				}
			}
			if err := maps.Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			waiting, err := maps.Get(ctx, "c", metav1.GetOptions{})
			if err != nil || waiting.DeletionTimestamp == nil {
				t.Fatal(waiting, err)
			}
			waiting.Finalizers = nil
			if _, err := maps.Update(ctx, waiting, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Get(ctx, "c", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("it is still there: %v", err)
			}
			if _, err := maps.Update(ctx, waiting, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("update of nothing: %v", err)
			}
		})
	}
}

func TestCheckedIsAServer(t *testing.T) {
	client := fake.NewClientset()
	if _, err := client.CoreV1().Pods("default").Create(ctx, pod("p"), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a pod without containers: %v", err)
	}
	good := pod("p")
	good.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
	created, err := client.CoreV1().Pods("default").Create(ctx, good, metav1.CreateOptions{FieldManager: "me"})
	if err != nil || created.Spec.RestartPolicy != corev1.RestartPolicyAlways || len(created.ManagedFields) != 1 {
		t.Errorf("%v, %v", created, err)
	}
	apply := func(manager, value string) error {
		c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"a": value}}
		configuration, err := gentype.Apply(c, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.CoreV1().ConfigMaps("new").Apply(ctx, configuration, metav1.ApplyOptions{FieldManager: manager})
		return err
	}
	if err := apply("one", "1"); err != nil {
		t.Fatal(err)
	}
	if err := apply("two", "2"); !apierrors.IsConflict(err) {
		t.Errorf("two managers of one field: %v", err)
	}
	if _, err := client.CoreV1().Namespaces().Get(ctx, "new", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

func TestReactorsReturnOtherThings(t *testing.T) {
	client := fake.NewSimpleClientset()
	client.PrependReactor("get", "deployments/scale", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 4}}, nil
	})
	client.PrependReactor("create", "selfsubjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview)
		review.Status.Allowed = review.Spec.ResourceAttributes.Verb == "get"
		return true, review, nil
	})
	client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
	client.PrependReactor("list", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
	client.PrependReactor("delete", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
	client.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, fmt.Errorf("wrapped: %w", context.DeadlineExceeded) // a client would try again after a real one
	})
	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewTooManyRequests("later", 3600)
	})
	if scale, err := client.AppsV1().Deployments("a").GetScale(ctx, "d", metav1.GetOptions{}); err != nil || scale.Spec.Replicas != 4 {
		t.Errorf("%v, %v", scale, err)
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get"}}}
	if got, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{}); err != nil || !got.Status.Allowed {
		t.Errorf("%v, %v", got, err)
	}
	if s, err := client.CoreV1().Secrets("a").Get(ctx, "s", metav1.GetOptions{}); err != nil || s.Name != "" {
		t.Errorf("%v, %v", s, err)
	}
	if l, err := client.CoreV1().Secrets("a").List(ctx, metav1.ListOptions{}); err != nil || len(l.Items) != 0 {
		t.Errorf("%v, %v", l, err)
	}
	if err := client.CoreV1().Secrets("a").Delete(ctx, "s", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsTooManyRequests(err) {
		t.Error(err)
	}
	if n := len(client.Actions()); n != 7 {
		t.Errorf("%d actions: %v", n, verbs(client))
	}
}

// A reactor may use the client, which client-go's cannot.
func TestReactorsMayUseTheClient(t *testing.T) {
	client := fake.NewSimpleClientset(configMap("c"))
	client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		_, err := client.CoreV1().ConfigMaps("default").Get(ctx, "c", metav1.GetOptions{})
		return false, nil, err
	})
	if _, err := client.CoreV1().Pods("default").Create(ctx, pod("p"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := verbs(client); !slices.Equal(got, []string{"create pods", "get configmaps"}) {
		t.Error(got)
	}
}

func TestWithoutAServer(t *testing.T) {
	client := &fake.Clientset{}
	client.AddReactor("get", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, pod(a.(clienttesting.GetAction).GetName()), nil
	})
	if p, err := client.CoreV1().Pods("x").Get(ctx, "made", metav1.GetOptions{}); err != nil || p.Name != "made" {
		t.Errorf("%v, %v", p, err)
	}
	if c, err := client.CoreV1().ConfigMaps("x").Create(ctx, configMap("c"), metav1.CreateOptions{}); err != nil || c.Name != "c" {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := client.CoreV1().ConfigMaps("x").Get(ctx, "c", metav1.GetOptions{}); err != nil || c.Name != "" {
		t.Errorf("%v, %v", c, err)
	}
	if l, err := client.CoreV1().ConfigMaps("x").List(ctx, metav1.ListOptions{}); err != nil || len(l.Items) != 0 {
		t.Errorf("%v, %v", l, err)
	}
	if err := client.CoreV1().ConfigMaps("x").Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.CoreV1().ConfigMaps("x").Watch(ctx, metav1.ListOptions{}); err == nil {
		t.Error("a watch without a reactor")
	}
	w := watch.NewFake()
	client.AddWatchReactor("*", clienttesting.DefaultWatchReactor(w, nil))
	got, err := client.CoreV1().Pods("x").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Add(pod("p"))
	if e := <-got.ResultChan(); e.Type != watch.Added || e.Object.(*corev1.Pod).Name != "p" {
		t.Errorf("%v", e)
	}
	got.Stop()
	if client.Tracker() != nil {
		t.Error("a tracker of nothing")
	}
}

func TestDiscovery(t *testing.T) {
	client := fake.NewSimpleClientset()
	if version, err := client.Discovery().ServerVersion(); err != nil || version.Major != "1" {
		t.Errorf("%v, %v", version, err)
	}
	client.Resources = []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: []string{"list"}}}},
		{GroupVersion: "example.com/v1", APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget", Verbs: []string{"list"}}}},
	}
	groups, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil || len(groups) != 2 || len(lists) != 2 {
		t.Errorf("%v, %v, %v", groups, lists, err)
	}
	list, err := client.Discovery().ServerResourcesForGroupVersion("example.com/v1")
	if err != nil || len(list.APIResources) != 1 || list.APIResources[0].Kind != "Widget" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := client.Discovery().ServerResourcesForGroupVersion("example.com/v2"); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}

func TestBadObjects(t *testing.T) {
	for name, obj := range map[string]runtime.Object{
		"no object": &metav1.Status{},
		"a binding": &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			fake.NewSimpleClientset(obj)
		})
	}
}
