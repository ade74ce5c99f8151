package list

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
)

// reader is one side: its ways to list the pods of a server. A limit of 0 means all of them.
type reader interface {
	// whole decodes the list.
	whole(ctx context.Context, limit int64) (*corev1.PodList, error)

	// stream calls each with every pod.
	stream(ctx context.Context, limit int64, each func(*corev1.Pod)) error

	// meta calls each with the metadata of every pod.
	meta(ctx context.Context, limit int64, each func(name string, uid types.UID, labels map[string]string)) error
}

// connect makes the reader of a side. The connection itself is made with the first list.
func connect(side, url string, e pods.Encoding) (reader, error) {
	switch side {
	case harness.ClientGo:
		return newClientGo(url, e)
	case harness.Vedette:
		return newVedette(url, e)
	default:
		return nil, fmt.Errorf("side %q has no reader", side)
	}
}
