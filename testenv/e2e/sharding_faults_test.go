package e2e

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// A shard of a namespace that does not exist is empty, and fills when the namespace is created.
func TestShardingOfNoNamespace(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	here, nowhere := newNamespace(t, client), "e2e-nowhere-yet"
	writeConfigMaps(t, client, here, 5)
	informer, ledger := runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: closing(t, adminConfig(t)), Source: shard.Namespaces(here, nowhere),
	})
	awaitSync(t, informer)
	if state := shardState(t, informer, nowhere); state.Err() != nil || state.Objects != 0 || !state.Synced {
		t.Errorf("the shard of no namespace: %+v", state)
	}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: nowhere}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	writeConfigMaps(t, client, nowhere, 5)
	settles(t, "all are there", func() error { return agrees(informer, ledger, configMapsOf(t, client, here, nowhere)) })
}

// A shard of a namespace that one may not look at fails alone, says why, and recovers when one may.
func TestShardingOfAForbiddenNamespace(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	open, closed := newNamespace(t, client), newNamespace(t, client)
	writeConfigMaps(t, client, open, 5)
	writeConfigMaps(t, client, closed, 5)
	allowConfigMaps(t, client, open)
	informer, ledger := runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: closing(t, shared.Env(t).PlainRESTConfig()), Source: shard.Namespaces(open, closed),
	})
	settles(t, "one is there, the other forbidden", func() error {
		good, bad := shardState(t, informer, open), shardState(t, informer, closed)
		if good.Err() != nil || good.Objects != 5 || !apierrors.IsForbidden(bad.Cause) || bad.Objects != 0 {
			return fmt.Errorf("%v with %d objects, and %v with %d", good.Err(), good.Objects, bad.Err(), bad.Objects)
		}
		return nil
	})
	if informer.HasSynced() {
		t.Error("the informer says it has synced, but a shard has not")
	}
	failsAlone(t, informer, closed, "forbidden")
	writeConfigMaps(t, client, open, 10)
	settles(t, "changes arrive in the other", func() error {
		return sameVersions(ledger.versions(), configMapsOf(t, client, open))
	})
	allowConfigMaps(t, client, closed)
	settles(t, "all are there", func() error { return agrees(informer, ledger, configMapsOf(t, client, open, closed)) })
	awaitSync(t, informer)
	settles(t, "all is well", informer.Err)
}

// A cluster that takes connections and says nothing delays its own shard only.
func TestShardingOfASilentCluster(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	namespace := newNamespace(t, client)
	writeConfigMaps(t, client, namespace, 5)
	silent := shared.Env(t).RESTConfig()
	silent.Host = "https://" + newBlackHole(t)
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps,
		Source:   shard.Clusters(map[string]*rest.Config{"here": closing(t, adminConfig(t)), "silent": closing(t, silent)}),
	})
	if err != nil {
		t.Fatal(err)
	}
	ledger := newLedger[*corev1.ConfigMap](t)
	ledger.cluster = func(shard string) string { return shard }
	startSharded(t, informer, ledger)
	settles(t, "the other cluster is there", func() error { return shardState(t, informer, "here").Err() })
	if state := shardState(t, informer, "silent"); state.Synced || state.Err() == nil || informer.HasSynced() {
		t.Errorf("the silent cluster: %+v", state)
	}
	writeConfigMaps(t, client, namespace, 10)
	settles(t, "changes arrive", func() error {
		known := ledger.versions()
		for key, version := range configMapsOf(t, client, namespace) {
			if known["here|"+key] != version {
				return fmt.Errorf("%s is known in version %q, want %s", key, known["here|"+key], version)
			}
		}
		return nil
	})
	settles(t, "the silent cluster has a cause", func() error {
		if shardState(t, informer, "silent").Cause == nil {
			return fmt.Errorf("%+v", shardState(t, informer, "silent"))
		}
		return nil
	})
	failsAlone(t, informer, "silent", "")
}

// A selector that the server does not know fails alone, too, with what the server says.
func TestShardingByASelectorThatIsRefused(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	namespace := newNamespace(t, client)
	createPods(t, client, namespace, 5)
	informer, ledger := runSharded(t, shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		REST:     closing(t, adminConfig(t)),
		Source: shard.Shards(
			shard.Shard{ID: "pending", Scope: shard.Scope{Namespaces: []string{namespace}, Fields: "status.phase=Pending"}},
			shard.Shard{ID: "green", Scope: shard.Scope{Namespaces: []string{namespace}, Fields: "status.phase!=Pending,status.colour=green"}},
		),
	})
	settles(t, "one is there, the other refused", func() error {
		good, bad := shardState(t, informer, "pending"), shardState(t, informer, "green")
		if good.Err() != nil || good.Objects != 5 || !apierrors.IsBadRequest(bad.Cause) {
			return fmt.Errorf("%v with %d objects, and %v", good.Err(), good.Objects, bad.Err())
		}
		return nil
	})
	failsAlone(t, informer, "green", `field label not supported: status.colour`)
	if known := len(ledger.versions()); known != 5 {
		t.Errorf("the handler knows %d pods, want 5", known)
	}
	// It can be taken away.
	if err := informer.RemoveShard("green"); err != nil {
		t.Fatal(err)
	}
	awaitSync(t, informer)
	if err := informer.Err(); err != nil {
		t.Error(err)
	}
}

// A server that is asked wrongly says 500. Selectors that this package makes are none of those, whatever the ranges.
func TestShardingByRangesThatAreHard(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true}})
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	writeConfigMaps(t, client, "default", 100)
	first, second := shard.Shard{ID: "first"}, shard.Shard{ID: "second"}
	first.Scope.Hash, second.Scope.Hash = shard.ByUID(), shard.ByUID()
	for i, r := range shard.EqualRanges(32) { // 16 ranges each, the most that a server is asked for
		if i%2 == 0 {
			first.Scope.Ranges = append(first.Scope.Ranges, r)
		} else {
			second.Scope.Ranges = append(second.Scope.Ranges, r)
		}
	}
	traffic, counted := newTraffic(t, env.RESTConfig(), "configmaps")
	informer, ledger := runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: counted, Source: shard.Shards(first, second),
	})
	awaitSync(t, informer)
	settles(t, "all are there", func() error { return agrees(informer, ledger, configMapsOf(t, client, "default", "kube-system")) })
	for _, w := range traffic.watching() {
		if w.status != 200 || strings.Count(w.selector(), "shardRange") != 16 {
			t.Errorf("status %d for %s", w.status, w.selector())
		}
	}
	if n := len(traffic.watching()); n != 2 {
		t.Errorf("%d watches, want 2", n)
	}
}

// shardState is the state of one shard.
func shardState[T cache.Object](t testing.TB, informer *shard.TypedShardingInformer[T], id string) shard.State {
	t.Helper()
	for _, s := range informer.Shards() {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("there is no shard %s", id)
	return shard.State{}
}

// failsAlone checks that the informer names the shard that fails and no other, and the reason.
func failsAlone[T cache.Object](t testing.TB, informer *shard.TypedShardingInformer[T], id, reason string) {
	t.Helper()
	for _, s := range informer.Shards() {
		switch {
		case s.ID != id && s.Err() != nil:
			t.Errorf("shard %s fails, too: %v", s.ID, s.Err())
		case s.ID == id && (s.Cause == nil || s.Failures == 0 || s.Failing.IsZero() || !strings.Contains(s.Cause.Error(), reason)):
			t.Errorf("shard %s fails because of %v, since %v, want a reason with %q", id, s.Cause, s.Failing, reason)
		}
	}
	err := informer.Err()
	t.Logf("%v", err)
	if err == nil || strings.Count(err.Error(), "shard \"") != 1 || !strings.Contains(err.Error(), fmt.Sprintf("shard %q", id)) {
		t.Errorf("the informer says %v, want something of shard %s alone", err, id)
	}
}

// newBlackHole takes connections and reads, and says nothing.
func newBlackHole(t testing.TB) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
		for _, conn := range conns {
			conn.Close()
		}
	})
	return listener.Addr().String()
}

// allowConfigMaps lets the plain user look at config maps in a namespace.
func allowConfigMaps(t testing.TB, client kubernetes.Interface, namespace string) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: "look"}
	_, err := client.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "look"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: testenv.PlainUser}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// writeConfigMaps makes config maps, or changes those that are there.
func writeConfigMaps(t testing.TB, client kubernetes.Interface, namespace string, n int) {
	t.Helper()
	for _, name := range manyNames("settings", n) {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"n": fmt.Sprint(n)}}
		_, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), cm, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			_, err = client.CoreV1().ConfigMaps(namespace).Update(t.Context(), cm, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// configMapsOf is key → version of what is in namespaces.
func configMapsOf(t testing.TB, client kubernetes.Interface, namespaces ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, namespace := range namespaces {
		list, err := client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			out[namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
		}
	}
	return out
}

func sameVersions(got, want map[string]string) error {
	for key, version := range want {
		if got[key] != version {
			return fmt.Errorf("%s is known in version %q, want %s", key, got[key], version)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d are known, want %d", len(got), len(want))
	}
	return nil
}
