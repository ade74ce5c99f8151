package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// Events are listed by hash, but watched without: the server has no cache of them, and where it has none it forgets the selector.
// The informer hears of an event that it has not asked for, and shares one watch from then on. If they are listed, that is
// later than if the list is a watch, too.
func testShardingOfEvents(t *testing.T, env *testenv.Env, listed bool) {
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	e := &shardedEvents{t: t, client: client}
	e.write("before", 200)
	var counted *rest.Config
	e.traffic, counted = newTraffic(t, env.RESTConfig(), "events")
	e.informer, e.ledger = runSharded(t, shard.Config[*corev1.Event]{
		Resource: corev1.SchemeGroupVersion.WithResource("events"), REST: counted, Source: shard.Hash(shard.ByUID(), manyShards),
	})
	awaitSync(t, e.informer)
	e.agree()
	if streams := e.informer.Streams(); listed && streams != manyShards {
		t.Errorf("%d streams before anything is known to be wrong, want %d", streams, manyShards)
	}
	e.report(0)

	told, made := e.ledger.told(), e.traffic.made()
	e.write("after", 300)
	e.agree()
	settles(t, "one stream is left", func() error {
		open := e.traffic.watching()
		if e.informer.Streams() != 1 || len(open) != 1 || open[0].selector() != "" {
			return fmt.Errorf("%d streams, %d watches", e.informer.Streams(), len(open))
		}
		return nil
	})
	for i := range 20 {
		if err := client.CoreV1().Events("default").Delete(t.Context(), fmt.Sprintf("after-%03d", i), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	e.agree()
	if calls := e.ledger.told() - told; calls != 320 {
		t.Errorf("the handler was called %d times for 320 changes", calls)
	}
	e.report(made)
	lists, _, watches := e.traffic.since(made)
	switch {
	case !listed && len(lists)+len(watches) != 0:
		t.Errorf("%d lists and %d watches after the one that is shared", len(lists), len(watches))
	case listed && (len(lists) != 0 || len(watches) != 1 || !watches[0].resumes()):
		t.Errorf("%d lists and %d watches for the change to one stream, want one watch that resumes", len(lists), len(watches))
	}
	if problem := e.informer.Err(); problem != nil {
		t.Error(problem)
	}
}

type shardedEvents struct {
	t        *testing.T
	client   kubernetes.Interface
	traffic  *traffic
	informer *shard.TypedShardingInformer[*corev1.Event]
	ledger   *ledger[*corev1.Event]
}

func (e *shardedEvents) write(name string, n int) {
	e.t.Helper()
	for i := range n {
		_, err := e.client.CoreV1().Events("default").Create(e.t.Context(), &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: fmt.Sprintf("%s-%03d", name, i)},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "web"},
			Reason:         "Tested", Message: name, Type: corev1.EventTypeNormal,
		}, metav1.CreateOptions{})
		if err != nil {
			e.t.Fatal(err)
		}
	}
}

func (e *shardedEvents) agree() {
	e.t.Helper()
	settles(e.t, "informer and server agree", func() error {
		list, err := e.client.CoreV1().Events("").List(e.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		want := map[string]string{}
		for i := range list.Items {
			want[list.Items[i].Namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
		}
		return agrees(e.informer, e.ledger, want)
	})
}

func (e *shardedEvents) report(made int) {
	lists, questions, watches := e.traffic.since(made)
	received := []int64{}
	for _, w := range watches {
		received = append(received, w.bytes.Load())
	}
	e.t.Logf("%d streams; %d lists, %d questions, %d watches with so many bytes: %v",
		e.informer.Streams(), len(lists), len(questions), len(watches), received)
}
