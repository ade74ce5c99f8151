package apitest_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

// eachMedia runs a test in a bubble, with a watch-to-be in JSON and in protobuf.
func eachMedia(t *testing.T, run func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset)) {
	for _, media := range []string{asJSON, asProtobuf} {
		t.Run(media, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				config := server.RESTConfig()
				config.ContentType = media
				run(t, server, clientset(t, closed(t, config)))
				server.Close()
			})
		})
	}
}

func watchMaps(t testing.TB, client kubernetes.Interface, opts metav1.ListOptions) watch.Interface {
	t.Helper()
	w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// heard is what comes within a time, in short.
func heard(t testing.TB, w watch.Interface, within time.Duration) (events []string) {
	t.Helper()
	limit := time.After(within)
	for {
		select {
		case event, open := <-w.ResultChan():
			if !open {
				return append(events, "end")
			}
			switch object := event.Object.(type) {
			case *metav1.Status:
				events = append(events, fmt.Sprintf("%s %d %s: %s", event.Type, object.Code, object.Reason, object.Message))
			case metav1.Object:
				events = append(events, strings.TrimSpace(string(event.Type)+" "+object.GetName()))
			}
		case <-limit:
			return events
		}
	}
}

func wantHeard(t testing.TB, w watch.Interface, within time.Duration, want ...string) {
	t.Helper()
	if got := heard(t, w, within); !slices.Equal(got, want) {
		t.Errorf("heard %q\nwant  %q", got, want)
	}
}

var sent = true

// streamed asks for the initial state as events.
var streamed = metav1.ListOptions{SendInitialEvents: &sent, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}

func TestFaultWatchEnds(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		fillMaps(t, server, "a")
		injection := inject(t, server, "watch configmaps: end times=2")
		wantHeard(t, watchMaps(t, client, metav1.ListOptions{}), time.Minute, "end")
		wantHeard(t, watchMaps(t, client, metav1.ListOptions{ResourceVersion: server.ResourceVersion()}), time.Minute, "end")
		w := watchMaps(t, client, metav1.ListOptions{}) // two are enough
		wantHeard(t, w, time.Minute, "ADDED a")
		if injection.Hits() != 2 {
			t.Errorf("hit %d times", injection.Hits())
		}
		inject(t, server, "watch configmaps: end delay=5s")
		began := time.Now()
		wantHeard(t, w, time.Minute, "end")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

func TestFaultWatchEndsWithAnError(t *testing.T) {
	for effect, want := range map[string]string{
		"end-410":                   "ERROR 410 Expired: too old resource version: %d (%d)",
		"end-429 retry-after=3s":    "ERROR 429 TooManyRequests: Too many requests, please try again later.",
		"end-500":                   "ERROR 500 InternalError: Internal error occurred: etcdserver: leader changed",
		"conversion-failed after=1": "ERROR 504 Timeout: Timeout: Too large resource version: 6, current: 5",
	} {
		t.Run(effect, func(t *testing.T) {
			eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
				fillMaps(t, server, "a")
				want := want
				if strings.Contains(want, "%d") {
					want = fmt.Sprintf(want, 0, 1)
				}
				running := watchMaps(t, client, metav1.ListOptions{})
				wantHeard(t, running, time.Minute, "ADDED a")
				injection := inject(t, server, "watch configmaps: "+effect)
				synctest.Wait()
				if strings.HasPrefix(effect, "end") { // it is told without a change to tell
					wantHeard(t, running, time.Minute, want, "end")
				} else {
					wantHeard(t, running, time.Minute)
				}
				wantHeard(t, watchMaps(t, client, metav1.ListOptions{}), time.Minute, want, "end")
				want = strings.Replace(want, "version: 0 (1)", "version: "+server.ResourceVersion()+" (7)", 1)
				if effect != "conversion-failed after=1" {
					wantHeard(t, watchMaps(t, client, metav1.ListOptions{ResourceVersion: server.ResourceVersion()}), time.Minute, want, "end")
				}
				if injection.Hits() == 0 {
					t.Error("no hit")
				}
			})
		})
	}
}

// A watch of a kind that cannot be converted is as the real server's: without events from an older version on.
func TestFaultWatchWithoutConversion(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		running := watchMaps(t, client, metav1.ListOptions{})
		synctest.Wait()
		injection := inject(t, server, "* configmaps: conversion-failed")
		wantHeard(t, running, time.Minute, "end")
		w := watchMaps(t, client, metav1.ListOptions{ResourceVersion: "1"})
		fillMaps(t, server, "a")
		wantHeard(t, w, time.Minute)
		injection.Remove()
		wantHeard(t, watchMaps(t, client, metav1.ListOptions{}), time.Minute, "ADDED a")
	})
}

func TestFaultNoBookmarks(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		fillMaps(t, server, "a")
		w := watchMaps(t, client, streamed)
		wantHeard(t, w, 90*time.Second, "ADDED a", "BOOKMARK", "BOOKMARK")
		injection := inject(t, server, "watch configmaps: no-bookmarks")
		wantHeard(t, w, 10*time.Minute) // none of the watch that is under way
		wantHeard(t, watchMaps(t, client, streamed), 3*time.Minute, "ADDED a")
		injection.Remove()
		wantHeard(t, w, time.Minute, "BOOKMARK")
	})
}

func TestFaultNoEndBookmark(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		fillMaps(t, server, "a")
		injection := inject(t, server, "watch configmaps: no-end-bookmark")
		w := watchMaps(t, client, streamed)
		wantHeard(t, w, 30*time.Second, "ADDED a")
		wantHeard(t, w, time.Minute, "BOOKMARK") // an ordinary one
		injection.Remove()
		wantHeard(t, watchMaps(t, client, streamed), time.Second, "ADDED a", "BOOKMARK")
	})
}

func TestFaultNoInitialEvents(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		injection := inject(t, server, "watch: no-initial-events")
		_, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), streamed)
		status := statusOf(t, err)
		if status.Code != 422 || status.Message != `ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled` {
			t.Errorf("%+v", status)
		}
		watchMaps(t, client, metav1.ListOptions{})
		if injection.Hits() != 1 {
			t.Errorf("hit %d times", injection.Hits())
		}
	})
}

func TestFaultDuplicatedEvents(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		w := watchMaps(t, client, metav1.ListOptions{})
		synctest.Wait()
		inject(t, server, "watch configmaps name=b: duplicate times=2")
		fillMaps(t, server, "a", "b", "c")
		if err := server.Delete(t.Context(), configMap("b"), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		fillMaps(t, server, "b")
		wantHeard(t, w, time.Minute, "ADDED a", "ADDED b", "ADDED b", "ADDED c", "DELETED b", "DELETED b", "ADDED b")
	})
}

// Events that lag come each as much later as the fault says, not one after the other, and in order. Other watches do not lag.
func TestFaultLag(t *testing.T) {
	eachMedia(t, func(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
		w := watchMaps(t, client, metav1.ListOptions{})
		other, err := client.CoreV1().ConfigMaps("").Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=c"})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Stop()
		synctest.Wait()
		injection := inject(t, server, "watch configmaps namespace=default name=b: lag delay=10s")
		fillMaps(t, server, "a", "b", "c")
		wantHeard(t, w, 9*time.Second, "ADDED a")
		wantHeard(t, other, time.Millisecond, "ADDED c")
		time.Sleep(500 * time.Millisecond)
		fillMaps(t, server, "d") // is behind b, though it does not lag itself
		wantHeard(t, w, 400*time.Millisecond)
		wantHeard(t, w, 200*time.Millisecond, "ADDED b", "ADDED c", "ADDED d")
		injection.Remove()
		inject(t, server, "watch configmaps: lag delay=1m")
		fillMaps(t, server, "e")
		time.Sleep(30 * time.Second)
		fillMaps(t, server, "f")
		wantHeard(t, w, 31*time.Second, "ADDED e")
		wantHeard(t, w, 30*time.Second, "ADDED f")
		fillMaps(t, server, "g") // is still under way when the server is closed
	})
}

// A watch that is cut in the middle of a frame ends for its client as any other, but for one that looks at the frames.
func TestFaultCutWatch(t *testing.T) {
	httpVersions(t, func(t *testing.T, server *apitest.Server, config *rest.Config) {
		for _, media := range []string{asJSON, asProtobuf} {
			config := rest.CopyConfig(config)
			config.ContentType = media
			client := clientset(t, config)
			fillMaps(t, server, media[len(media)-4:]+"-before")
			events := watchMaps(t, client, metav1.ListOptions{ResourceVersion: server.ResourceVersion()})
			frames, err := client.CoreV1().RESTClient().Get().Resource("configmaps").Param("watch", "1").
				Param("resourceVersion", server.ResourceVersion()).Frames(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer frames.Close()
			name := media[len(media)-4:] + "-cut"
			injection := inject(t, server, "watch configmaps name="+name+": cut")
			fillMaps(t, server, media[len(media)-4:]+"-after", name)
			if event, open := next(t, events); !open || event.Type != watch.Added {
				t.Errorf("%+v", event)
			}
			if event, open := next(t, events); open {
				t.Errorf("%+v", event)
			}
			for err == nil {
				_, err = frames.Next()
			}
			if err == io.EOF {
				t.Error("the frames ended as if nothing had happened")
			}
			injection.Remove()
		}
	})
}

// A watch may be cut while frames are on their way, in a bubble as well: time goes on there.
func TestFaultCutWatchThatLags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		w := watchMaps(t, clientset(t, server.RESTConfig()), metav1.ListOptions{})
		synctest.Wait()
		lag := inject(t, server, "watch configmaps: lag delay=5ms")
		fillMaps(t, server, "a", "b")
		synctest.Wait()
		lag.Remove()
		inject(t, server, "watch configmaps name=c: cut")
		fillMaps(t, server, "c")
		for open := true; open; {
			_, open = next(t, w)
		}
	})
}
