// Package plain has a test for client-go whose objects are not complete.
package plain

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	fakecorev1 "k8s.io/client-go/kubernetes/typed/core/v1/fake"
)

func TestPods(t *testing.T) {
	client := fake.NewClientset()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	if got, err := client.CoreV1().Pods("ns").Create(context.Background(), pod, metav1.CreateOptions{}); err != nil || got.Status.Phase != corev1.PodRunning || got.UID != "" {
		t.Errorf("%v, %v", got, err)
	}
	if core, ok := client.CoreV1().(*fakecorev1.FakeCoreV1); !ok || len(core.Actions()) != 1 {
		t.Errorf("%T", client.CoreV1())
	}
}
