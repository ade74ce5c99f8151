package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// beginning creates what is not in a namespace, and waits for the service accounts of namespaces.
func (s *side) beginning(ctx context.Context) error {
	if err := s.create(ctx, "cluster.yaml"); err != nil {
		return err
	}
	return s.until(ctx, "service accounts of all namespaces", func(ctx context.Context) (string, error) {
		for _, ns := range []string{"default", "work", "quota", "garbage", "doomed", seedNamespace} {
			if _, err := s.client.CoreV1().ServiceAccounts(ns).Get(ctx, "default", metav1.GetOptions{}); err != nil {
				return "", err
			}
			if _, err := s.client.CoreV1().ConfigMaps(ns).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{}); err != nil {
				return "", err
			}
		}
		return "", nil
	})
}

// measureBefore looks at the controller manager when its caches are full.
func (s *side) measureBefore(ctx context.Context) (err error) {
	if err := s.quiet(ctx); err != nil {
		return err
	}
	s.start, err = s.manager.usage(ctx)
	return err
}

// measureAfter leaves the objects to be compared, and looks at the controller manager again.
func (s *side) measureAfter(ctx context.Context) (err error) {
	if err := all(ctx, s.quiet, s.checkEngine); err != nil {
		return err
	}
	s.end, err = s.manager.usage(ctx)
	return err
}

func (s *side) workloads(ctx context.Context) error {
	if err := s.create(ctx, "work.yaml"); err != nil {
		return err
	}
	return all(ctx, s.settled("work"),
		func(ctx context.Context) error {
			return s.until(ctx, "a token for the service account, and a volume for the claim", func(ctx context.Context) (string, error) {
				secret, err := s.client.CoreV1().Secrets("work").Get(ctx, "robot-token", metav1.GetOptions{})
				if err != nil || len(secret.Data["token"]) == 0 {
					return "no token", err
				}
				claim, err := s.client.CoreV1().PersistentVolumeClaims("work").Get(ctx, "claim", metav1.GetOptions{})
				if err != nil || claim.Status.Phase != corev1.ClaimBound {
					return "the claim is not bound", err
				}
				return "", nil
			})
		},
		s.endpoints("work", "web", 3), s.endpoints("work", "api", 10), s.endpoints("work", "outside", 1))
}

func (s *side) jobs(ctx context.Context) error {
	if err := s.create(ctx, "jobs.yaml"); err != nil {
		return err
	}
	return s.until(ctx, "Jobs that have ended", func(ctx context.Context) (string, error) {
		jobs, err := s.client.BatchV1().Jobs("work").List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		ended := map[string]string{}
		for _, job := range jobs.Items {
			for _, c := range job.Status.Conditions {
				if c.Status == corev1.ConditionTrue {
					ended[job.Name] += string(c.Type) + " "
				}
			}
			if len(ended[job.Name]) == 0 {
				ended[job.Name] = "runs"
			}
		}
		const want = "map[fails:FailureTarget Failed  indexed:SuccessCriteriaMet Complete  many:SuccessCriteriaMet Complete  once:SuccessCriteriaMet Complete  suspended:Suspended ]"
		if got := fmt.Sprint(ended); got != want {
			return got, nil
		}
		return "", nil
	})
}

// image changes the image of a Deployment, StatefulSet or DaemonSet.
func (s *side) image(kind, name, image string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.merge(ctx, "apps/v1", kind, "work", name, fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":%q}]}}}}`, image))
	}
}

func (s *side) scale(kind, namespace, name string, replicas int) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.merge(ctx, "apps/v1", kind, namespace, name, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
	}
}

func (s *side) rollouts(ctx context.Context) error {
	settled := s.settled("work")
	return all(ctx,
		s.image("Deployment", "web", "registry.example/web:2"), settled,
		s.scale("Deployment", "work", "web", 6), s.scale("Deployment", "work", "api", 4), s.scale("StatefulSet", "work", "db", 5), settled,
		s.image("DaemonSet", "agent", "registry.example/agent:2"), s.image("StatefulSet", "db", "registry.example/db:2"),
		s.image("Deployment", "recreated", "registry.example/recreated:2"), settled,
		s.scale("Deployment", "work", "web", 2), s.scale("StatefulSet", "work", "db", 2), settled,
		s.image("Deployment", "stuck", neverReady+":1"), s.stuck, s.image("Deployment", "stuck", "registry.example/stuck:1"), settled,
		s.endpoints("work", "web", 2), s.endpoints("work", "api", 4),
	)
}

// stuck waits for a rollout to miss its deadline.
func (s *side) stuck(ctx context.Context) error {
	return s.until(ctx, "a rollout that has missed its deadline", func(ctx context.Context) (string, error) {
		d, err := s.client.AppsV1().Deployments("work").Get(ctx, "stuck", metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		for _, c := range d.Status.Conditions {
			if c.Reason == "ProgressDeadlineExceeded" {
				return "", nil
			}
		}
		return fmt.Sprint(d.Status.Conditions), nil
	})
}

// settled returns a function that waits until all that makes pods in a namespace has those it wants, and no others.
func (s *side) settled(namespace string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, "what makes pods in "+namespace, func(ctx context.Context) (string, error) { return s.unsettled(ctx, namespace) })
	}
}

func (s *side) unsettled(ctx context.Context, namespace string) (string, error) {
	deployments, err := s.client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, d := range deployments.Items {
		want, t := *d.Spec.Replicas, d.Status
		if t.ObservedGeneration != d.Generation || t.Replicas != want || t.UpdatedReplicas != want || t.AvailableReplicas != want {
			return fmt.Sprintf("Deployment %s: %+v", d.Name, t), nil
		}
	}
	sets, err := s.client.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, d := range sets.Items {
		want, t := *d.Spec.Replicas, d.Status
		if t.ObservedGeneration != d.Generation || t.Replicas != want || t.UpdatedReplicas != want || t.AvailableReplicas != want || t.CurrentRevision != t.UpdateRevision {
			return fmt.Sprintf("StatefulSet %s: %+v", d.Name, t), nil
		}
	}
	daemons, err := s.client.AppsV1().DaemonSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, d := range daemons.Items {
		if t := d.Status; t.ObservedGeneration != d.Generation || t.DesiredNumberScheduled != int32(len(nodeNames)) || t.UpdatedNumberScheduled != t.DesiredNumberScheduled || t.NumberAvailable != t.DesiredNumberScheduled {
			return fmt.Sprintf("DaemonSet %s: %+v", d.Name, t), nil
		}
	}
	pods, err := s.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, p := range pods.Items {
		if p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodPending {
			return fmt.Sprintf("pod %s: %s, to be deleted at %v", p.Name, p.Status.Phase, p.DeletionTimestamp), nil
		}
	}
	return "", nil
}

// endpoints returns a function that waits until a Service has as many endpoints that are ready, in both kinds of objects.
func (s *side) endpoints(namespace, service string, want int) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.until(ctx, fmt.Sprintf("%d endpoints of %s", want, service), func(ctx context.Context) (string, error) {
			slices, err := s.client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + service})
			if err != nil {
				return "", err
			}
			ready := 0
			for _, slice := range slices.Items {
				for _, e := range slice.Endpoints {
					if e.Conditions.Ready != nil && *e.Conditions.Ready {
						ready++
					}
				}
			}
			old, err := s.client.CoreV1().Endpoints(namespace).Get(ctx, service, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			addresses := 0
			for _, subset := range old.Subsets {
				addresses += len(subset.Addresses)
			}
			if ready != want || addresses != want {
				return fmt.Sprintf("%d in EndpointSlices, %d in Endpoints", ready, addresses), nil
			}
			return "", nil
		})
	}
}

// delete returns a function that deletes an object.
func (s *side) delete(apiVersion, kind, namespace, name string, propagation metav1.DeletionPropagation) func(context.Context) error {
	return func(ctx context.Context) error {
		err := s.resource(object(apiVersion, kind, namespace, "")).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &propagation})
		if err != nil {
			return fmt.Errorf("deleting %s %s: %w", kind, name, err)
		}
		return nil
	}
}

// deletePods returns a function that deletes the pods with a label, all but some of them.
func (s *side) deletePods(namespace, app string, keep int) func(context.Context) error {
	return func(ctx context.Context) error {
		pods, err := s.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil {
			return err
		}
		names := map[string]types.UID{}
		for _, p := range pods.Items {
			names[p.Name] = p.UID
		}
		for _, name := range slices.Sorted(maps.Keys(names))[min(keep, len(names)):] {
			if err := s.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
}
