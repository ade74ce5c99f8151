package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/bridge"
)

// TestTheOperator runs the program until it has done its work.
func TestTheOperator(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	config, err := bridge.ToClientGo(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, config, "0") }()
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", Labels: map[string]string{"images": "list"}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "web:1"}}},
			},
		},
	}
	if _, err := server.Create(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	deadline := time.Now().Add(20 * time.Second)
	for {
		obj, err := server.Get(t.Context(), configMaps, "default", "web-images")
		if err == nil && obj.(*corev1.ConfigMap).Data["c"] == "web:1" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the operator has not made the ConfigMap: %v, %v", obj, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestOneLineDiffers compares the program with the stock one: apart from the comment at its beginning, it has an import and a field more.
func TestOneLineDiffers(t *testing.T) {
	with, without := lines(t, "main.go"), lines(t, "../stock/main.go")
	var more []string
	for _, line := range with {
		if !slices.Contains(without, line) {
			more = append(more, line)
		}
	}
	want := []string{`bridgectrl "vedette.dev/bridge/ctrl"`, `NewCache: bridgectrl.NewCache,`}
	if !slices.Equal(more, want) || len(with) != len(without)+len(want) {
		t.Errorf("it has the lines %q more, want %q", more, want)
	}
}

// lines returns the lines of a program that are not blank, from its first import on, without repeated spaces.
func lines(t *testing.T, name string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "import (")
	for line := range strings.Lines(program) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return out
}
