package record_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/record"
)

// A pod is said to be ready three times. The server has one event, with a count.
func Example() {
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())

	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "example"})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	for range 3 {
		recorder.Eventf(pod, corev1.EventTypeNormal, "Ready", "pod %s is ready", pod.Name)
	}
	broadcaster.Shutdown() // writes what is queued

	events, err := client.CoreV1().Events("default").SearchWithContext(context.Background(), scheme.Scheme, pod)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range events.Items {
		fmt.Printf("%d × %s: %s\n", e.Count, e.Reason, e.Message)
	}
	// Output:
	// 3 × Ready: pod web is ready
}

// Code that takes an EventRecorder is tested with a fake.
func ExampleFakeRecorder() {
	fake := record.NewFakeRecorder(10)
	fake.Eventf(&corev1.Pod{}, corev1.EventTypeWarning, "BackOff", "failed %d times", 3)
	fmt.Println(<-fake.Events)
	// Output:
	// Warning BackOff failed 3 times
}
