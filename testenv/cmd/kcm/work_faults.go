package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// killed has kube-apiserver killed while rollouts, scaling and deletions are under way.
func (s *side) killed(ctx context.Context) error {
	if err := all(ctx, s.fill("doomed", 200), func(ctx context.Context) error { return s.create(ctx, "doomed.yaml") }, s.settled("doomed")); err != nil {
		return err
	}
	err := all(ctx,
		s.image("Deployment", "web", "registry.example/web:3"), s.image("Deployment", "api", "registry.example/api:2"),
		s.scale("Deployment", "work", "api", 12), s.scale("StatefulSet", "work", "db", 4), s.image("DaemonSet", "agent", "registry.example/agent:3"),
		s.delete("v1", "Namespace", "", "doomed", metav1.DeletePropagationBackground),
		s.delete("batch/v1", "Job", "work", "many", metav1.DeletePropagationBackground),
		s.delete("apps/v1", "Deployment", "work", "recreated", metav1.DeletePropagationForeground),
	)
	if err != nil {
		return err
	}
	pause(ctx, 300*time.Millisecond) // so that it is in the middle of things
	s.env.KillAPIServer()
	pause(ctx, 2*time.Second)
	if err := s.env.StartAPIServer(ctx); err != nil {
		return err
	}
	return all(ctx,
		s.deletePods("work", "web", 1),
		s.settled("work"), s.endpoints("work", "web", 2), s.endpoints("work", "api", 12),
		s.exactly("batch/v1", "Job", "work", "fails", "indexed", "once", "suspended"),
		s.absent("v1", "Namespace", "", "doomed"),
	)
}

// unseen changes things while the controller manager is stopped and kube-apiserver is killed, so that it does not see them happen. It cannot
// go on where its watches were, as the API server has forgotten.
func (s *side) unseen(ctx context.Context) (err error) {
	if err := s.manager.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.manager.signal(syscall.SIGCONT))
		}
	}()
	s.env.KillAPIServer()
	if err := s.env.StartAPIServer(ctx); err != nil {
		return err
	}
	err = all(ctx,
		// Owners that are deleted and made anew with the same name: what the first owned must go.
		s.delete("v1", "ConfigMap", "garbage", "reborn", metav1.DeletePropagationBackground),
		func(ctx context.Context) error {
			_, err := s.owned(ctx, object("v1", "ConfigMap", "garbage", "reborn"))
			return err
		},
		s.again("apps/v1", "Deployment", "reborn", `{"spec":{"replicas":3}}`),
		s.again("v1", "Service", "web", `{"spec":{"sessionAffinity":"ClientIP"}}`),
		s.deletePods("work", "api", 5), s.deletePods("work", "agent", 1), s.deletePods("work", "reborn", 1),
		s.delete("v1", "Service", "work", "nothing", metav1.DeletePropagationBackground),
		s.scale("Deployment", "quota", "wants", 1),
	)
	if err != nil {
		return err
	}
	// Pods that were deleted are gone before the controller manager looks.
	if err := s.podsGone(ctx); err != nil {
		return err
	}
	if err := s.manager.signal(syscall.SIGCONT); err != nil {
		return err
	}
	return all(ctx, s.settled("work"), s.settled("quota"),
		s.podsOf("quota", map[string]int{"wants": 1}),
		s.used("pods:1", "count/configmaps:1", "count/widgets.kcm.vedette.dev:3", "requests.cpu:100m"),
		s.endpoints("work", "web", 2), s.endpoints("work", "api", 12),
		s.exactly("v1", "Secret", "garbage", "kept-child"), s.exactly(widgets, "Widget", "garbage", "kept-grandchild"),
	)
}

func (s *side) podsGone(ctx context.Context) error {
	return s.until(ctx, "pods that were deleted", func(ctx context.Context) (string, error) {
		pods, err := s.client.CoreV1().Pods("work").List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		for _, p := range pods.Items {
			if p.DeletionTimestamp != nil {
				return p.Name + " is there", nil
			}
		}
		return "", nil
	})
}

// again returns a function that deletes an object of namespace work and creates it anew, with a change.
func (s *side) again(apiVersion, kind, name, patch string) func(context.Context) error {
	return func(ctx context.Context) error {
		resource := s.resource(object(apiVersion, kind, "work", name))
		old, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := s.delete(apiVersion, kind, "work", name, metav1.DeletePropagationBackground)(ctx); err != nil {
			return err
		}
		o := object(apiVersion, kind, "work", name)
		o.Object["spec"] = old.Object["spec"]
		if _, err := resource.Create(ctx, o, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating %s %s again: %w", kind, name, err)
		}
		return s.merge(ctx, apiVersion, kind, "work", name, patch)
	}
}

// lastNamespace deletes a namespace when all faults are over.
func (s *side) lastNamespace(ctx context.Context) error {
	return all(ctx, s.fill("brief", 50),
		s.delete("v1", "Namespace", "", "brief", metav1.DeletePropagationBackground), s.absent("v1", "Namespace", "", "brief"))
}

// fill returns a function that puts ConfigMaps, Secrets and Widgets into a namespace.
func (s *side) fill(namespace string, n int) func(context.Context) error {
	return func(ctx context.Context) error {
		for i := range n {
			meta := metav1.ObjectMeta{Name: fmt.Sprintf("content-%d", i)}
			if _, err := s.client.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
				return err
			}
			if _, err := s.client.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
				return err
			}
			if _, err := s.owned(ctx, object(widgets, "Widget", namespace, meta.Name)); err != nil {
				return err
			}
		}
		return nil
	}
}

// absent returns a function that waits until an object does not exist.
func (s *side) absent(apiVersion, kind, namespace, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, fmt.Sprintf("the end of %s %s", kind, name), func(ctx context.Context) (string, error) {
			return gone(s.resource(object(apiVersion, kind, namespace, "")).Get(ctx, name, metav1.GetOptions{}))
		})
	}
}

// pause waits, less if ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
