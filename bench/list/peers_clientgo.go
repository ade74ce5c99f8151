package list

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"vedette.dev/bench/pods"
)

type clientGo struct{ core *typedv1.CoreV1Client }

func newClientGo(url string, e pods.Encoding) (clientGo, error) {
	core, err := typedv1.NewForConfig(&rest.Config{
		Host:               url,
		ContentConfig:      rest.ContentConfig{ContentType: e.ContentType(), AcceptContentTypes: e.ContentType()},
		DisableCompression: true,
	})
	return clientGo{core}, err
}

func (c clientGo) whole(ctx context.Context, limit int64) (*corev1.PodList, error) {
	return c.core.Pods("").List(ctx, metav1.ListOptions{Limit: limit})
}

// stream decodes the whole list first: there is no other way.
func (c clientGo) stream(ctx context.Context, limit int64, each func(*corev1.Pod)) error {
	list, err := c.whole(ctx, limit)
	if err != nil {
		return err
	}
	for i := range list.Items {
		each(&list.Items[i])
	}
	return nil
}

func (c clientGo) meta(ctx context.Context, limit int64, each func(string, types.UID, map[string]string)) error {
	return c.stream(ctx, limit, func(pod *corev1.Pod) { each(pod.Name, pod.UID, pod.Labels) })
}
