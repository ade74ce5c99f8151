//go:build !vedette_noconsole

package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"vedette.dev/console"
	"vedette.dev/workqueue"
)

// A program shows its work queue.
func Example() {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	queue.Add("default/web-0")

	mux := http.NewServeMux()
	mux.Handle("/debug/vedette/", console.Handler(console.Config{
		Title:  "my-operator",
		Queues: []console.Queue{console.QueueOf[string]("pods", queue)},
	}))

	r := httptest.NewRequest("GET", "http://localhost/debug/vedette/queues?format=json", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, r)
	for line := range strings.Lines(answer.Body.String()) {
		if strings.Contains(line, `"key"`) || strings.Contains(line, `"depth"`) {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// "depth": 1,
	// "key": "default/web-0",
}
