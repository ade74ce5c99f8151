package fake_test

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/kubernetes/fake"
	"vedette.dev/testing"
)

func ExampleNewClientset() {
	ctx := context.Background()
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}}
	client := fake.NewClientset(settings)

	got, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
	fmt.Println(got.Name, got.UID != "", err)

	_, err = client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}, metav1.CreateOptions{})
	fmt.Println("a pod without containers is invalid:", apierrors.IsInvalid(err))
	// Output:
	// settings true <nil>
	// a pod without containers is invalid: true
}

func ExampleNewSimpleClientset() {
	ctx := context.Background()
	client := fake.NewSimpleClientset()
	noMore := errors.New("no more pods today")
	client.PrependReactor("create", "pods", func(action testing.Action) (bool, runtime.Object, error) {
		return true, nil, noMore
	})

	_, err := client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{})
	fmt.Println(errors.Is(err, noMore))
	for _, action := range client.Actions() {
		fmt.Println(action.GetVerb(), action.GetResource().Resource)
	}
	// Output:
	// true
	// create pods
}
