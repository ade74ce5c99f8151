package list

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/bench/pods"
	"vedette.dev/gentype"
	typedv1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

type vedette struct{ core *typedv1.CoreV1Client }

func newVedette(url string, e pods.Encoding) (vedette, error) {
	core, err := typedv1.NewForConfig(&rest.Config{
		Host:               url,
		ContentConfig:      rest.ContentConfig{ContentType: e.ContentType(), AcceptContentTypes: e.ContentType()},
		DisableCompression: true,
	})
	return vedette{core}, err
}

func (v vedette) whole(ctx context.Context, limit int64) (*corev1.PodList, error) {
	return v.core.Pods("").List(ctx, metav1.ListOptions{Limit: limit})
}

// stream makes a new pod for each item, as most callers will: who reads into one and the same pod can keep no part of it.
func (v vedette) stream(ctx context.Context, limit int64, each func(*corev1.Pod)) error {
	return v.items(ctx, limit, func(item *rest.Raw) error {
		pod := new(corev1.Pod)
		if err := item.Into(pod); err != nil {
			return err
		}
		each(pod)
		return nil
	})
}

func (v vedette) meta(ctx context.Context, limit int64, each func(string, types.UID, map[string]string)) error {
	return v.items(ctx, limit, func(item *rest.Raw) error {
		meta, err := item.Meta()
		if err != nil {
			return err
		}
		labels, err := item.Labels()
		if err != nil {
			return err
		}
		each(meta.Name, meta.UID, labels)
		return nil
	})
}

func (v vedette) items(ctx context.Context, limit int64, each func(*rest.Raw) error) error {
	client := gentype.New[corev1.Pod, corev1.PodList](v.core.RESTClient(), "pods", "")
	items, err := client.ListRequest(metav1.ListOptions{Limit: limit}).Items(ctx)
	if err != nil {
		return err
	}
	defer items.Close()
	for item, err := range items.All() {
		if err != nil {
			return err
		}
		if err := each(item); err != nil {
			return err
		}
	}
	return nil
}
