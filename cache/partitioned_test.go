package cache

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestStreamHasSyncedWhenItsPartitionsHave: whoever waits for a partition and then looks at the stream, or gives it another
// partition, may do so before the reflector has noted its list.
func TestStreamHasSyncedWhenItsPartitionsHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		never := func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s := NewPartitionedInformer(&corev1.Pod{}, SharedIndexInformerOptions{})
		streams, err := s.Change(PartitionChange{
			Add:   []PartitionConfig{{ID: "a"}},
			Start: []StreamConfig{{Source: &ListWatch{ListWithContextFunc: never}, Partitions: []string{"a"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.RunWithContext(ctx)
		synctest.Wait()
		stream := streams[0]
		wantEqual(t, "synced before the list", stream.State().Synced, false)

		s.listed(stream) // as the store of the stream does
		wantEqual(t, "partition synced", isClosed(s.PartitionSynced("a")), true)
		wantEqual(t, "stream synced", stream.State().Synced, true)
		change := PartitionChange{Add: []PartitionConfig{{ID: "b"}}, Feed: map[*Stream][]string{stream: {"a", "b"}}}
		if _, err := s.Change(change); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "new partition synced", isClosed(s.PartitionSynced("b")), true)
	})
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
