package cache

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
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

// wantPanic runs f and looks for words in what it panics with.
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

// chooser makes the choices of a test that does arbitrary steps.
type chooser interface{ pick(n int) int }

type rapidChooser struct{ t *rapid.T }

func (c rapidChooser) pick(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "pick") }

// byteChooser reads its choices from the bytes of a fuzzer, and picks zero when they are used up.
type byteChooser struct{ data []byte }

func (c *byteChooser) pick(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % n
}

// machine is something that can be driven by choices, one step at a time.
type machine interface {
	step(c chooser)
	// check compares with the model and verifies what always holds.
	check() error
}

func checkMachine(t *testing.T, build func() machine) {
	rapid.Check(t, func(t *rapid.T) {
		m := build()
		t.Repeat(map[string]func(*rapid.T){
			"step": func(t *rapid.T) { m.step(rapidChooser{t}) },
			"": func(t *rapid.T) {
				if err := m.check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

func fuzzMachine(f *testing.F, build func() machine) {
	f.Add([]byte{})
	f.Add([]byte("add, update, delete, replace: whatever these letters stand for"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1, 1, 2, 2, 3, 3, 9, 9, 8, 8, 4, 1, 4, 1, 0, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := build()
		c := &byteChooser{data: data}
		for len(c.data) > 0 {
			m.step(c)
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
