//go:build !vedette_noconsole

package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vedette.dev/cache"
	"vedette.dev/workqueue"
)

// fleet is the informers of a large operator.
type fleet struct{ n int }

func (f *fleet) Informers() map[string]cache.StateReader {
	all := map[string]cache.StateReader{}
	for i := range f.n {
		all[fmt.Sprintf("apps/v1.Kind%d", i)] = busyInformer{}
	}
	return all
}

type busyInformer struct{}

func (busyInformer) State() cache.State {
	now := time.Now()
	s := cache.State{
		Type: "*v1.Kind", Phase: cache.PhaseWatching, Since: now.Add(-time.Hour), Synced: true, LastEvent: now, ResourceVersion: "123456",
		Objects: 10000, Events: uint64(now.UnixMilli()), Bytes: now.UnixMicro(), Lags: cache.Lags{Batches: uint64(now.UnixMilli()), Total: time.Hour},
	}
	for i := range 3 {
		s.Handlers = append(s.Handlers, cache.HandlerState{Number: i + 1, Handler: "*main.handler", Synced: true, Handled: uint64(now.UnixMilli())})
	}
	return s
}

// BenchmarkViewer is what a viewer costs in a second: 1 % of a core is 10 ms.
func BenchmarkViewer(b *testing.B) {
	for _, name := range []string{"", "charts", "queues"} {
		b.Run("view="+name, func(b *testing.B) {
			queue := workqueue.NewTyped[string]()
			defer queue.ShutDown()
			for i := range 10000 {
				queue.Add(fmt.Sprintf("default/name-%d", i))
			}
			page := Handler(Config{Informers: []Informers{&fleet{20}}, Queues: []Queue{QueueOf[string]("all", queue)}})
			w := discard{httptest.NewRecorder()}
			s := &streamer{page: page, view: views()[name], query: query{}, out: w, control: http.NewResponseController(w)}
			for b.Loop() {
				// As if a second had passed.
				page.sampler.mu.Lock()
				page.sampler.take(time.Now())
				page.sampler.mu.Unlock()
				if err := s.send(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{ http.ResponseWriter }

func (discard) Write(data []byte) (int, error) { return len(data), nil }
func (discard) Flush()                         {}
