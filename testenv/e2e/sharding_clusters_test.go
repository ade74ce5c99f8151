package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// TestShardingOverClusters has two clusters, of which one goes away and comes back. The other does not notice, and what happened
// in the meantime is not missed.
func TestShardingOverClusters(t *testing.T) {
	c := newTwoClusters(t)
	c.agree("east", "west")
	before := c.pulse("east", 300)

	c.envs["west"].KillAPIServer()
	settles(t, "one cluster is failing", func() error {
		for _, s := range c.informer.Shards() {
			if (s.Err() != nil) != (s.ID == "west") {
				return fmt.Errorf("shard %s: %v", s.ID, s.Err())
			}
		}
		return nil
	})
	while := c.pulse("east", 300)
	t.Logf("p50 and p99 from a write to the handler: %v and %v with both clusters, %v and %v while one is away",
		before.at(50), before.at(99), while.at(50), while.at(99))
	if limit := 3*before.at(99) + 50*time.Millisecond; while.at(99) > limit {
		t.Errorf("p99 is %v while a cluster is away, want %v at most", while.at(99), limit)
	}
	c.oneIsFailing()
	c.behindTheBack()
	c.agree("east") // of the other, all is as it was

	if err := c.envs["west"].StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.agree("east", "west")
	t.Logf("recovered %v after the server was ready", time.Since(begin).Round(time.Millisecond))
	settles(t, "all is well", func() error { return c.informer.Err() })
	c.keys()
}

type twoClusters struct {
	t        *testing.T
	envs     map[string]*testenv.Env
	clients  map[string]kubernetes.Interface
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	ledger   *ledger[*corev1.ConfigMap]
	pulses   chan string
}

func newTwoClusters(t *testing.T) *twoClusters {
	c := &twoClusters{
		t: t, envs: map[string]*testenv.Env{}, clients: map[string]kubernetes.Interface{},
		ledger: newLedger[*corev1.ConfigMap](t), pulses: make(chan string, 1000),
	}
	configs := map[string]*rest.Config{}
	for _, name := range []string{"east", "west"} {
		c.envs[name] = testenv.New(t, testenv.Config{})
		configs[name] = closing(t, c.envs[name].RESTConfig())
		client, err := kubernetes.NewForConfig(configs[name])
		if err != nil {
			t.Fatal(err)
		}
		c.clients[name] = client
		for _, cm := range append(manyNames("settings", 200), "pulse") {
			c.create(name, cm)
		}
	}
	var err error
	c.informer, err = shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, Source: shard.Clusters(configs),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.ledger.cluster = func(shard string) string { return shard }
	_, err = c.informer.AddShardHandler(shard.HandlerFuncs[*corev1.ConfigMap]{
		UpdateFunc: func(shard string, _, cm *corev1.ConfigMap) {
			if cm.Name == "pulse" {
				c.pulses <- shard + " " + cm.ResourceVersion
			}
		},
	}, shard.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	startSharded(t, c.informer, c.ledger)
	awaitSync(t, c.informer)
	return c
}

func manyNames(name string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s-%03d", name, i))
	}
	return out
}

func (c *twoClusters) create(cluster, name string) {
	c.t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"in": cluster}}
	if _, err := c.clients[cluster].CoreV1().ConfigMaps("default").Create(c.t.Context(), cm, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// latencies are sorted.
type latencies []time.Duration

func (l latencies) at(percent int) time.Duration {
	return l[min(len(l)-1, len(l)*percent/100)].Round(10 * time.Microsecond)
}

// pulse changes an object again and again, and measures how long it takes from the request until the handler hears of it.
func (c *twoClusters) pulse(cluster string, n int) (out latencies) {
	c.t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for i := range n {
		begin := time.Now()
		patch := fmt.Appendf(nil, `{"data":{"pulse":"%d-%d"}}`, begin.UnixNano(), i)
		cm, err := c.clients[cluster].CoreV1().ConfigMaps("default").Patch(c.t.Context(), "pulse", types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			c.t.Fatal(err)
		}
		select {
		case heard := <-c.pulses:
			if heard != cluster+" "+cm.ResourceVersion {
				c.t.Fatalf("heard of %s, want version %s in %s", heard, cm.ResourceVersion, cluster)
			}
		case <-late.C:
			c.t.Fatalf("a change in %s has not arrived after a minute", cluster)
		}
		out = append(out, time.Since(begin))
	}
	slices.Sort(out)
	return out
}

// oneIsFailing looks at what is told of the cluster that is away.
func (c *twoClusters) oneIsFailing() {
	c.t.Helper()
	for _, s := range c.informer.Shards() {
		switch s.ID {
		case "east":
			if s.Cause != nil || s.Err() != nil || s.Failures != 0 {
				c.t.Errorf("the cluster that is there: %v, %v, %d failures", s.Cause, s.Err(), s.Failures)
			}
		case "west":
			if s.Cause == nil || s.Failing.IsZero() || s.Failures == 0 || !strings.Contains(s.Cause.Error(), "connect") {
				c.t.Errorf("the cluster that is away: cause %v, since %v, %d failures", s.Cause, s.Failing, s.Failures)
			}
			if s.Objects != len(c.informer.View("west").ListKeys()) || s.Objects < 200 {
				c.t.Errorf("of the cluster that is away, %d objects are left", s.Objects)
			}
			c.t.Logf("the cluster that is away: %v", s.Err())
		}
	}
	if err := c.informer.Err(); err == nil || !strings.Contains(err.Error(), `shard "west"`) || strings.Contains(err.Error(), `shard "east"`) {
		c.t.Errorf("the informer says %v, want something of shard west alone", err)
	}
}

// behindTheBack changes what the server that is away will have when it is back.
func (c *twoClusters) behindTheBack() {
	c.t.Helper()
	store := newStore(c.t, c.envs["west"])
	series := newUIDs(3)
	for _, name := range append(manyNames("new", 30), manyNames("settings", 10)...) { // the latter under another UID
		store.put("configmaps", &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: series.next(), CreationTimestamp: metav1.Now()},
		})
	}
	for _, name := range manyNames("settings", 30)[10:] {
		store.remove("configmaps", "default", name)
	}
}

// agree waits until the informer has what the clusters have.
func (c *twoClusters) agree(clusters ...string) {
	c.t.Helper()
	settles(c.t, "informer and servers agree", func() error {
		want := map[string]string{}
		for _, cluster := range clusters {
			list, err := c.clients[cluster].CoreV1().ConfigMaps("").List(c.t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range list.Items {
				want[cluster+"|"+list.Items[i].Namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
			}
		}
		if len(clusters) == 2 {
			return agrees(c.informer, c.ledger, want)
		}
		for key, version := range want {
			obj, exists, err := c.informer.GetIndexer().GetByKey(key)
			if err != nil || !exists || obj.(*corev1.ConfigMap).ResourceVersion != version {
				return errors.Join(fmt.Errorf("%s is not there in version %s", key, version), err)
			}
		}
		return nil
	})
}

// keys looks at how objects of the same name in two clusters are told apart.
func (c *twoClusters) keys() {
	c.t.Helper()
	for _, cluster := range []string{"east", "west"} {
		key := shard.Key{Cluster: cluster}
		key.Namespace, key.Name = "default", "settings-100"
		obj, exists, err := c.informer.GetIndexer().GetByKey(key.String())
		if err != nil || !exists || obj.(*corev1.ConfigMap).Data["in"] != cluster {
			c.t.Errorf("%s: %v %v %v", key, obj, exists, err)
		}
		if home, ok := c.informer.ShardOf(key.String()); !ok || home != cluster {
			c.t.Errorf("%s is in shard %q", key, home)
		}
		for _, text := range c.informer.View(cluster).ListKeys() {
			if parsed, err := shard.ParseKey(text); err != nil || parsed.Cluster != cluster {
				c.t.Errorf("in %s there is the key %q: %v", cluster, text, err)
			}
		}
	}
}
