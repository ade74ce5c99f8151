package apitest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
)

// outcomes are those of some lists: x for a failure.
func outcomes(t testing.TB, server *apitest.Server, count int) string {
	t.Helper()
	client := clientset(t, server.RESTConfig())
	var out strings.Builder
	for range count {
		code, err := listOnce(t.Context(), client)
		switch code {
		case 200:
			out.WriteByte('.')
		case 500:
			out.WriteByte('x')
		default:
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestFaultCounts(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	for fault, want := range map[string]string{
		"500":                               "xxxxxxxx",
		"500 times=3":                       "xxx.....",
		"500 after=2":                       "..xxxxxx",
		"500 after=2 times=3":               "..xxx...",
		"500 after=1 times=2 p=0.5 seed=42": ".x.x....",
	} {
		injection := inject(t, server, "list configmaps: "+fault)
		if got := outcomes(t, server, 8); got != want || injection.Hits() != strings.Count(want, "x") {
			t.Errorf("%s: %s, hit %d times; want %s", fault, got, injection.Hits(), want)
		}
		injection.Remove()
		injection.Remove() // does no harm
		if got := outcomes(t, server, 2); got != ".." {
			t.Errorf("%s, after it was removed: %s", fault, got)
		}
	}
}

// The same seed is the same fate, another one another, and in the long run it is as probable as was said.
func TestFaultProbability(t *testing.T) {
	run := func(seed string, count int) string {
		server := apitest.New(t, apitest.Config{InMemory: true})
		inject(t, server, "list: 500 p=0.3"+seed)
		return outcomes(t, server, count)
	}
	first := run(" seed=1", 400)
	if first != run(" seed=1", 400) {
		t.Error("the same seed had other outcomes")
	}
	if first == run(" seed=2", 400) || first == run("", 400) {
		t.Error("another seed had the same outcomes")
	}
	if hits := strings.Count(first, "x"); hits < 90 || hits > 150 {
		t.Errorf("%d hits of 400", hits)
	}
}

func TestFaultMatch(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true, Tokens: map[string]apitest.User{
		"t1": {Name: "system:admin", Groups: []string{"system:masters"}},
	}})
	fillMaps(t, server, "a")
	client := clientset(t, server.RESTConfig())
	ctx := t.Context()
	for fault, hits := range map[string]bool{
		"*: 500":                                  true,
		"get: 500":                                true,
		"get,list configmaps: 500":                true,
		"* configmaps name=a: 500":                true,
		"* configmaps namespace=default: 500":     true,
		"* user=system:admin: 500":                true,
		"* path=/api/v1/namespaces/default/: 500": true,
		"list configmaps: 500":                    false,
		"get pods: 500":                           false,
		"get configmaps.apps: 500":                false,
		"get configmaps/status: 500":              false,
		"get */*: 500":                            false,
		"get configmaps/*: 500":                   false,
		"get configmaps name=b: 500":              false,
		"get configmaps namespace=other: 500":     false,
		"* user=admin: 500":                       false,
		"* path=/apis: 500":                       false,
	} {
		injection := inject(t, server, fault)
		_, err := client.CoreV1().ConfigMaps("default").Get(ctx, "a", metav1.GetOptions{})
		if (err != nil) != hits || (injection.Hits() > 0) != hits {
			t.Errorf("%s: %v, hit %d times", fault, err, injection.Hits())
		}
		injection.Remove()
	}
	injection := inject(t, server, "get path=/version: 503")
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/version").MaxRetries(0).DoRaw(ctx); err == nil || injection.Hits() != 1 {
		t.Errorf("of a path: %v", err)
	}
}

func TestFaultWait(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	injection := inject(t, server, "list configmaps: 500 times=2")
	done := make(chan error)
	go func() { done <- injection.Wait(t.Context(), 2) }()
	outcomes(t, server, 1)
	if err := injection.Wait(t.Context(), 1); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := injection.Wait(ctx, 2); err == nil || !strings.Contains(err.Error(), `fault "list configmaps: 500 times=2" has 1 hits, want 2`) {
		t.Error(err)
	}
	outcomes(t, server, 1)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := injection.Wait(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "cannot have 3 hits") {
		t.Error(err)
	}
	other := inject(t, server, "list configmaps: 500")
	go func() { done <- other.Wait(t.Context(), 1) }()
	other.Remove()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Error(err)
	}
}
