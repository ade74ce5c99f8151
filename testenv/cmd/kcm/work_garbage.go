package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// owned creates an object that is owned by others, and returns it.
func (s *side) owned(ctx context.Context, o *unstructured.Unstructured, owners ...*unstructured.Unstructured) (*unstructured.Unstructured, error) {
	var refs []metav1.OwnerReference
	yes := true
	for _, owner := range owners {
		refs = append(refs, metav1.OwnerReference{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &yes})
	}
	o.SetOwnerReferences(refs)
	out, err := s.resource(o).Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("creating %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return out, nil
}

const (
	widgets   = "kcm.vedette.dev/v1"
	ownersFor = "garbage"
)

// chain creates NAME, which owns NAME-child, which owns NAME-grandchild, which is a Widget.
func (s *side) chain(ctx context.Context, name string) error {
	parent, err := s.owned(ctx, object("v1", "ConfigMap", ownersFor, name))
	if err != nil {
		return err
	}
	child, err := s.owned(ctx, object("v1", "Secret", ownersFor, name+"-child"), parent)
	if err != nil {
		return err
	}
	_, err = s.owned(ctx, object(widgets, "Widget", ownersFor, name+"-grandchild"), child)
	return err
}

// garbage deletes owners: with what they own first, or last, or not at all.
func (s *side) garbage(ctx context.Context) error {
	if err := all(ctx, func(ctx context.Context) error { return s.create(ctx, "garbage.yaml") }, s.settled("garbage")); err != nil {
		return err
	}
	for _, name := range []string{"first", "last", "kept", "unseen"} {
		if err := s.chain(ctx, name); err != nil {
			return err
		}
	}
	// One of its owners stays, the other does not exist.
	stays, err := s.owned(ctx, object("v1", "ConfigMap", ownersFor, "stays"))
	if err != nil {
		return err
	}
	absent := object("v1", "ConfigMap", ownersFor, "absent")
	absent.SetUID(types.UID("00000000-0000-4000-8000-000000000000"))
	if _, err := s.owned(ctx, object("v1", "ConfigMap", ownersFor, "two-owners"), stays, absent); err != nil {
		return err
	}
	if _, err := s.owned(ctx, object("v1", "ConfigMap", ownersFor, "owner-is-absent"), absent); err != nil {
		return err
	}
	return all(ctx,
		s.delete("apps/v1", "Deployment", "garbage", "foreground", metav1.DeletePropagationForeground),
		s.delete("apps/v1", "Deployment", "garbage", "background", metav1.DeletePropagationBackground),
		s.delete("apps/v1", "Deployment", "garbage", "orphan", metav1.DeletePropagationOrphan),
		s.delete("v1", "ConfigMap", "garbage", "first", metav1.DeletePropagationForeground),
		s.delete("v1", "ConfigMap", "garbage", "last", metav1.DeletePropagationBackground),
		s.delete("v1", "ConfigMap", "garbage", "kept", metav1.DeletePropagationOrphan),
		s.exactly("v1", "ConfigMap", "garbage", "kube-root-ca.crt", "stays", "two-owners", "unseen"),
		s.exactly("v1", "Secret", "garbage", "kept-child", "unseen-child"),
		s.exactly(widgets, "Widget", "garbage", "kept-grandchild", "unseen-grandchild"),
		s.exactly("apps/v1", "Deployment", "garbage"),
		s.podsOf("garbage", map[string]int{"orphan": 2}),
	)
}

// exactly returns a function that waits until the objects of a kind are these.
func (s *side) exactly(apiVersion, kind, namespace string, names ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, fmt.Sprintf("%s in %s: %v", kind, namespace, names), func(ctx context.Context) (string, error) {
			list, err := s.resource(object(apiVersion, kind, namespace, "")).List(ctx, metav1.ListOptions{})
			if err != nil {
				return "", err
			}
			var got []string
			for _, o := range list.Items {
				got = append(got, o.GetName())
			}
			if fmt.Sprint(got) != fmt.Sprint(names) { // sorted, as the API server sends them
				return fmt.Sprint(got), nil
			}
			return "", nil
		})
	}
}

// podsOf returns a function that waits until there are as many pods for each label.
func (s *side) podsOf(namespace string, want map[string]int) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, fmt.Sprintf("pods in %s: %v", namespace, want), func(ctx context.Context) (string, error) {
			pods, err := s.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return "", err
			}
			got := map[string]int{}
			for _, p := range pods.Items {
				got[p.Labels["app"]]++
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				return fmt.Sprint(got), nil
			}
			return "", nil
		})
	}
}

// quota has a Deployment want more than there is, and frees a part of it.
func (s *side) quota(ctx context.Context) error {
	return all(ctx,
		func(ctx context.Context) error { return s.create(ctx, "quota.yaml") },
		s.settled("quota"),
		func(ctx context.Context) error {
			for i := range 4 {
				if _, err := s.owned(ctx, object(widgets, "Widget", "quota", fmt.Sprintf("widget-%d", i))); err != nil {
					return err
				}
			}
			return nil
		},
		s.used("pods:2", "count/configmaps:1", "count/widgets.kcm.vedette.dev:4", "requests.cpu:200m"),
		s.scale("Deployment", "quota", "wants", 6),
		s.podsOf("quota", map[string]int{"wants": 3}),
		s.used("pods:3", "count/configmaps:1", "count/widgets.kcm.vedette.dev:4", "requests.cpu:300m"),
		s.refused,
		s.delete(widgets, "Widget", "quota", "widget-0", metav1.DeletePropagationBackground),
		s.used("pods:3", "count/configmaps:1", "count/widgets.kcm.vedette.dev:3", "requests.cpu:300m"),
		// What has failed often is tried again only after minutes, so it wants no more than there is while quota is freed.
		s.scale("Deployment", "quota", "wants", 3), s.settled("quota"),
		s.deletePods("quota", "wants", 1), s.settled("quota"),
		s.used("pods:3", "count/configmaps:1", "count/widgets.kcm.vedette.dev:3", "requests.cpu:300m"),
		s.scale("Deployment", "quota", "wants", 5),
	)
}

// refused creates a pod for which there is no quota.
func (s *side) refused(ctx context.Context) error {
	_, err := s.client.CoreV1().Pods("quota").Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "one-too-many"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}}}}},
	}, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("a pod for which there is no quota: %v", err)
	}
	return nil
}

// used returns a function that waits until the quota says that this is in use.
func (s *side) used(want ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, fmt.Sprintf("a quota with %v in use", want), func(ctx context.Context) (string, error) {
			quota, err := s.client.CoreV1().ResourceQuotas("quota").Get(ctx, "few", metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			var got []string
			for _, name := range []corev1.ResourceName{"pods", "count/configmaps", "count/widgets.kcm.vedette.dev", "requests.cpu"} {
				amount := quota.Status.Used[name]
				got = append(got, fmt.Sprintf("%s:%s", name, amount.String()))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				return fmt.Sprint(got), nil
			}
			return "", nil
		})
	}
}
