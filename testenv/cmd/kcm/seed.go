package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const seedNamespace = "seed"

// seed creates objects that controllers have in their caches, and leave alone.
func (s *side) seed(ctx context.Context) error {
	if _, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: seedNamespace}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	s.say("creating %d finished pods and as many ConfigMaps", s.options.seed)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for i := range numbers {
				if err := s.seedOne(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range s.options.seed {
		select {
		case numbers <- i:
		case <-ctx.Done():
		}
	}
	close(numbers)
	running.Wait()
	return context.Cause(ctx)
}

func (s *side) seedOne(ctx context.Context, i int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	pod, err := s.client.CoreV1().Pods(seedNamespace).Create(ctx, seedPod(i), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	pod.Status = status(pod, corev1.PodSucceeded)
	if _, err := s.client.CoreV1().Pods(seedNamespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = s.client.CoreV1().ConfigMaps(seedNamespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("config-%05d", i), Labels: map[string]string{"app": "seed"}},
		Data:       map[string]string{"config.yaml": strings.Repeat(fmt.Sprintf("key-%d: value\n", i), 50)},
	}, metav1.CreateOptions{})
	return err
}

// seedPod is about as large as pods are.
func seedPod(i int) *corev1.Pod {
	container := corev1.Container{
		Name: "main", Image: "registry.example/seed:1", Command: []string{"/bin/seed", "--verbose"},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("10m"), "memory": resource.MustParse("16Mi")}},
	}
	for e := range 10 {
		container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", e), Value: fmt.Sprintf("value %d of pod %d", e, i)})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("pod-%05d", i),
			Labels:      map[string]string{"app": "seed", "part": fmt.Sprint(i % 10)},
			Annotations: map[string]string{"example.com/description": strings.Repeat("a pod that has ended. ", 5)},
		},
		Spec: corev1.PodSpec{NodeName: nodeNames[i%len(nodeNames)], Containers: []corev1.Container{container}, RestartPolicy: corev1.RestartPolicyNever},
	}
}
