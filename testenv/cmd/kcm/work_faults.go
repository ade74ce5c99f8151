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
		// Not before: a pod that is created and deleted while the watch is interrupted is never seen, and its ReplicaSet waits for it for
		// five minutes.
		s.settled("work"),
		s.deletePods("work", "web", 1), s.settled("work"), s.endpointsAfter("web", 2), s.endpointsAfter("api", 12),
		s.exactly("batch/v1", "Job", "work", "fails", "indexed", "once", "suspended"),
		s.absent("v1", "Namespace", "", "doomed"),
	)
}

// unseen changes things while the controller manager is stopped and kube-apiserver is killed, so that it does not see them happen.
func (s *side) unseen(ctx context.Context) error {
	err := s.whileStopped(ctx,
		s.delete("v1", "ConfigMap", "garbage", "unseen", metav1.DeletePropagationBackground),
		s.delete("apps/v1", "Deployment", "work", "unseen", metav1.DeletePropagationBackground),
		s.delete("v1", "Service", "work", "nothing", metav1.DeletePropagationBackground),
		func(ctx context.Context) error { return s.create(ctx, "unseen.yaml") },
		s.deletePods("work", "api", 5), s.deletePods("work", "agent", 1), s.deletePods("work", "old", 0),
		s.scale("Deployment", "quota", "wants", 1), s.image("Deployment", "web", "registry.example/web:4"),
		s.podsGone, // before the controller manager looks
	)
	if err != nil {
		return err
	}
	return all(ctx, s.settled("work"), s.settled("quota"),
		s.podsOf("quota", map[string]int{"wants": 1}),
		s.used("pods:1", "count/configmaps:1", "count/widgets.kcm.vedette.dev:3", "requests.cpu:100m"),
		s.endpointsAfter("web", 2), s.endpointsAfter("api", 12), s.endpointsAfter("newcomer", 2),
		s.exactly("v1", "Secret", "garbage", "kept-child"), s.exactly(widgets, "Widget", "garbage", "kept-grandchild"),
	)
}

// whileStopped calls functions while the controller manager is stopped. It cannot go on where its watches were, as the API server has been
// killed and has forgotten.
func (s *side) whileStopped(ctx context.Context, functions ...func(context.Context) error) (err error) {
	if err := s.manager.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.manager.signal(syscall.SIGCONT)) }()
	s.env.KillAPIServer()
	if err := s.env.StartAPIServer(ctx); err != nil {
		return err
	}
	return all(ctx, functions...)
}

// reborn is done after the objects have been compared, as it is known to differ: an owner is deleted, and made anew with the same name,
// while the controller manager does not look. Informers of client-go report this as an update. The garbage collector, which knows objects by
// their UID, then never learns that the first one is gone, and what it owned stays. Informers of Vedette report a deletion and an addition.
func (s *side) reborn(ctx context.Context) error {
	if err := s.chain(ctx, "reborn"); err != nil {
		return err
	}
	pause(ctx, 2*time.Second) // the garbage collector knows it
	err := s.whileStopped(ctx,
		s.delete("v1", "ConfigMap", "garbage", "reborn", metav1.DeletePropagationBackground),
		func(ctx context.Context) error {
			_, err := s.owned(ctx, object("v1", "ConfigMap", "garbage", "reborn"))
			return err
		})
	if err != nil {
		return err
	}
	const enough = 30 * time.Second // the patched one needs some seconds
	for began := time.Now(); time.Since(began) < enough && !s.collects; pause(ctx, time.Second) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := gone(s.client.CoreV1().Secrets("garbage").Get(ctx, "reborn-child", metav1.GetOptions{}))
		s.collects = text == "" && err == nil
	}
	return nil
}

// endpointsAfter returns a function that waits for endpoints after a fault, and changes the Service from time to time: while their informers are
// behind, the controllers of Endpoints and EndpointSlices try again up to 15 times, ever more slowly, and then not before the next change.
func (s *side) endpointsAfter(service string, want int) func(context.Context) error {
	const soon = 20 * time.Second
	return func(ctx context.Context) (err error) {
		for range timeout / soon {
			err = s.merge(ctx, "v1", "Service", "work", service, fmt.Sprintf(`{"metadata":{"annotations":{"touched":%q}}}`, time.Now().Format(time.RFC3339)))
			if err != nil {
				return err
			}
			limited, cancel := context.WithTimeout(ctx, soon)
			err = s.endpoints("work", service, want)(limited)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				return err
			}
			s.say("Service %s was changed once more: %v", service, err)
		}
		return err
	}
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
