package cache

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func pod(namespace, name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: version}}
}

func labelled(p *corev1.Pod, key, value string) *corev1.Pod {
	p.Labels = map[string]string{key: value}
	return p
}

// byApp files a pod under the words of its label app.
func byApp(obj any) ([]string, error) { return strings.Fields(obj.(*corev1.Pod).Labels["app"]), nil }

var errBad = errors.New("bad object")

// failing is an index function that fails for pods whose label fail says how.
func failing(obj any) ([]string, error) {
	switch obj.(*corev1.Pod).Labels["fail"] {
	case "error":
		return []string{"ignored"}, errBad
	case "panic":
		panic("boom")
	}
	return []string{"fine"}, nil
}

func mustNot(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantEqual[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func wantError(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one with %q", err, words)
	}
}

// wantPanic runs f and checks for words in what it panics with.
func wantPanic(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		text, _ := r.(string)
		if err, ok := r.(error); ok {
			text = err.Error()
		}
		if !strings.Contains(text, words) {
			t.Errorf("panic %v, want one with %q", r, words)
		}
	}()
	f()
}

// namesOf are the names of pods, sorted.
func namesOf(objs []any) []string {
	names := []string{}
	for _, obj := range objs {
		names = append(names, obj.(*corev1.Pod).Name)
	}
	slices.Sort(names)
	return names
}
