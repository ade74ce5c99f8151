// Events records what happens to a pod: once as it is, five times the same, and many times almost the same. Then it prints
// what the server holds, as "kubectl describe" would. With -new the events are written by events.k8s.io/v1.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/examples/internal/cluster"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/record"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to write to; none means an API server in this process")
	newer := flag.Bool("new", false, "write by events.k8s.io/v1 instead of core/v1")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 10*time.Second)
	defer stop()
	client := kubernetes.NewForConfigOrDie(config)
	if err := run(ctx, client, *newer); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, client kubernetes.Interface, newer bool) error {
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	if len(pods.Items) == 0 {
		return errors.New("there is no pod to tell about")
	}
	pod := &pods.Items[0]

	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	if newer {
		broadcaster.StartRecordingToSink(&typedeventsv1.EventSinkImpl{Interface: client.EventsV1()})
	} else {
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "examples"})
	recorder.Event(pod, corev1.EventTypeNormal, "Seen", "the pod was found")
	for range 5 {
		recorder.Event(pod, corev1.EventTypeWarning, "Slow", "it takes its time")
	}
	for i := range 12 {
		recorder.Eventf(pod, corev1.EventTypeNormal, "Counted", "this is number %d", i+1)
	}
	broadcaster.Shutdown() // writes what is queued
	stats := record.StatsOf(broadcaster)
	fmt.Printf("%d events recorded, %d written, %d failed\n", stats.Recorded, stats.Written, stats.Failed)
	return show(ctx, client, pod)
}

func show(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) error {
	list, err := client.CoreV1().Events(pod.Namespace).SearchWithContext(ctx, scheme.Scheme, pod)
	if err != nil {
		return err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Event) int { return cmp.Compare(a.Name, b.Name) })
	fmt.Printf("the server has %d events about %s/%s:\n", len(list.Items), pod.Namespace, pod.Name)
	for _, e := range list.Items {
		count := max(e.Count, 1)
		if e.Series != nil {
			count = e.Series.Count
		}
		fmt.Printf("%3d × %-8s %-8s %s\n", count, e.Type, e.Reason, e.Message)
	}
	return nil
}
