package apitest_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
)

// In a list, one object cannot be decoded. Who reads it as a whole has nothing; who reads item by item has the others, and knows
// which one it is.
func TestFaultGarbageInList(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		fillMaps(t, server, "a", "b", "c")
		injection := inject(t, server, "* configmaps namespace=default name=b: garbage")
		if _, err := client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{}); err == nil {
			t.Error("the list was decoded")
		}
		items, err := client.CoreV1().RESTClient().Get().Resource("configmaps").Items(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer items.Close()
		for _, name := range []string{"a", "b", "c"} {
			item, err := items.Next()
			if err != nil {
				t.Fatal(err)
			}
			m, err := item.Meta()
			if err != nil || m.Name != name || m.ResourceVersion == "" || m.UID == "" {
				t.Errorf("%+v, %v", m, err)
			}
			if err := item.Into(configMap("")); (err != nil) != (name == "b") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := items.Next(); err != io.EOF {
			t.Errorf("the list ends with %v", err)
		}
		if injection.Hits() != 2 {
			t.Errorf("hit %d times", injection.Hits())
		}
	})
}

// One object cannot be decoded; the others, and errors, can.
func TestFaultGarbageInGet(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		fillMaps(t, server, "a", "b")
		inject(t, server, "get configmaps name=a: garbage")
		inject(t, server, "get configmaps name=none: garbage")
		maps := client.CoreV1().ConfigMaps("default")
		if _, err := maps.Get(t.Context(), "a", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "deletionGracePeriodSeconds") && !strings.Contains(err.Error(), "proto") {
			t.Errorf("got %v", err)
		}
		if _, err := maps.Get(t.Context(), "b", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		if _, err := maps.Get(t.Context(), "none", metav1.GetOptions{}); statusOf(t, err).Reason != metav1.StatusReasonNotFound {
			t.Error(err)
		}
	})
}

// A watch ends at what cannot be decoded, with an error that is the client's own. Who looks at frames may go on.
func TestFaultGarbageInWatch(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		inject(t, server, "watch configmaps name=b: garbage")
		w := watchMaps(t, client, metav1.ListOptions{})
		frames, err := client.CoreV1().RESTClient().Get().Resource("configmaps").Param("watch", "1").Frames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
		fillMaps(t, server, "a", "b", "c")
		events := heard(t, w, time.Minute)
		if len(events) != 3 || events[0] != "ADDED a" || !strings.HasPrefix(events[1], "ERROR 500") || events[2] != "end" {
			t.Errorf("%q", events)
		}
		for _, name := range []string{"a", "b", "c"} {
			frame, err := frames.Next()
			if err != nil {
				t.Fatal(err)
			}
			m, err := frame.Object.Meta()
			if err != nil || m.Name != name || frame.Type != watch.Added {
				t.Errorf("%+v, %v", m, err)
			}
			if err := frame.Object.Into(configMap("")); (err != nil) != (name == "b") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// The dynamic client, which takes whatever is JSON, does not take this.
func TestFaultGarbageForDynamicClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		maps := dynamicClient(t, closed(t, server.RESTConfig())).Resource(configMapsResource).Namespace("default")
		fillMaps(t, server, "a", "b")
		inject(t, server, "* configmaps name=a: garbage")
		if _, err := maps.Get(t.Context(), "a", metav1.GetOptions{}); err == nil {
			t.Error("get: it was decoded")
		}
		if _, err := maps.List(t.Context(), metav1.ListOptions{}); err == nil {
			t.Error("list: it was decoded")
		}
		w, err := maps.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if event := <-w.ResultChan(); event.Type != watch.Error {
			t.Errorf("watch: %+v", event)
		}
		server.Close()
	})
}

// Faults combine: an answer that is late, corrupted, in small pieces, and cut.
func TestFaultsCombine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, Faults: []apitest.Fault{
			{Match: apitest.Match{Verbs: []string{"get"}, Resource: "configmaps"}, Effect: apitest.Cut, Times: 1},
			{Match: apitest.Match{Verbs: []string{"get"}, Resource: "configmaps"}, Effect: apitest.Slow, Delay: time.Minute},
			{Match: apitest.Match{Verbs: []string{"get"}, Resource: "configmaps"}, Effect: apitest.Trickle, Delay: time.Second, Bytes: 10000},
			{Match: apitest.Match{Verbs: []string{"get"}, Resource: "configmaps"}, Effect: apitest.Garbage},
		}})
		fillMaps(t, server, "a")
		get := clientset(t, closed(t, server.RESTConfig())).CoreV1().RESTClient().Get().Resource("configmaps").Namespace("default").Name("a")
		began := time.Now()
		_, err := get.DoRaw(t.Context())
		if took := time.Since(began).Round(time.Second); took != 61*time.Second || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v after %v", err, took)
		}
		body, err := get.DoRaw(t.Context())
		if err != nil || !strings.Contains(string(body), "1e999") {
			t.Errorf("%q, %v", body, err)
		}
		server.Close()
	})
}
