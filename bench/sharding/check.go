package sharding

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// check compares what the store has with a list from the server, which client-go reads for all sides. What is on its way may
// take a while.
func (r *running) check() error {
	client, err := newClientGoClient(r.server.URL)
	if err != nil {
		return err
	}
	list, err := client.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list what should be there: %w", err)
	}
	want := make([]int64, r.server.Objects)
	for i := range list.Items {
		pod := &list.Items[i]
		index := indexOf(pod)
		if index < 0 || index >= len(want) {
			return fmt.Errorf("the server has pod %s, which is none of ours", keyOf(pod))
		}
		want[index] = versionOf(pod)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := r.compare(want)
		if err == nil || time.Since(began) > phaseTimeout {
			return err
		}
	}
}

func (r *running) compare(want []int64) error {
	objects := r.side.list()
	if len(objects) != len(want) {
		return fmt.Errorf("the store has %d objects, want %d", len(objects), len(want))
	}
	seen := make([]bool, len(want))
	for _, pod := range objects {
		i := indexOf(pod)
		switch {
		case i < 0 || i >= len(want) || seen[i]:
			return fmt.Errorf("the store has pod %s, which is none of ours, or twice", keyOf(pod))
		case versionOf(pod) != want[i]:
			return fmt.Errorf("the store has pod %d in version %s, want %d", i, pod.ResourceVersion, want[i])
		}
		seen[i] = true
	}
	return nil
}

// heardAll checks that the handler has heard of the last state of each object, and was called as often as it should.
func (r *running) heardAll(calls int) error {
	if got := r.view.calls.Load(); got != int64(calls) {
		return fmt.Errorf("the handler was called %d times, want %d", got, calls)
	}
	for _, pod := range r.side.list() {
		if i := indexOf(pod); r.view.heard[i].Load() != versionOf(pod) {
			return fmt.Errorf("the handler has heard of version %d of pod %d last, want %s", r.view.heard[i].Load(), i, pod.ResourceVersion)
		}
	}
	return nil
}
