package apitest_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
)

// A day in the life of a watch: it gets bookmarks every minute, is ended by the server now and then, goes on where it was,
// and misses nothing of what happens every ten minutes.
func TestADayInABubble(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := clientset(t, server.RESTConfig())
		day := time.After(24 * time.Hour)
		go func() {
			for i := range 24 * 6 {
				time.Sleep(10*time.Minute - time.Second)
				name := fmt.Sprintf("m%03d", i)
				_, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}})
				if err != nil {
					t.Error(err)
				}
			}
		}()
		var seen, bookmarks, watches int
		version := server.ResourceVersion()
		for watching := true; watching; watches++ {
			w, err := client.CoreV1().ConfigMaps("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
			if err != nil {
				t.Fatal(err)
			}
			for open := true; open; {
				var event watch.Event
				select {
				case event, open = <-w.ResultChan():
				case <-day:
					open, watching = false, false
				}
				switch event.Type {
				case watch.Added:
					if name := event.Object.(*corev1.ConfigMap).Name; name != fmt.Sprintf("m%03d", seen) {
						t.Fatalf("got %s after %d", name, seen)
					}
					seen++
				case watch.Bookmark:
					bookmarks++
				case "":
					continue
				default:
					t.Fatalf("%+v", event)
				}
				version = event.Object.(*corev1.ConfigMap).ResourceVersion
			}
			w.Stop()
		}
		if seen != 24*6 || bookmarks < 24*60-2*watches || bookmarks > 24*60+2*watches || watches < 24 || watches > 48 {
			t.Errorf("%d changes, %d bookmarks, %d watches", seen, bookmarks, watches)
		}
		t.Logf("%d changes, %d bookmarks, %d watches", seen, bookmarks, watches)
		server.Close()
	})
	t.Logf("in %v", time.Since(began))
}
