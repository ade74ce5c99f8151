//go:build !vedette_noconsole

package console

import (
	"fmt"
	"strings"
	"testing"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

type namedController string

func (n namedController) Name() string            { return string(n) }
func (n namedController) State() controller.State { return controller.State{Name: string(n)} }
func (n namedController) ExplainString(string) (controller.Explanation, error) {
	return controller.Explanation{}, fmt.Errorf("no keys")
}

func TestBadConfigs(t *testing.T) {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	for field, config := range map[string]Config{
		"Informers[0] is nil":               {Informers: []Informers{nil}},
		"Informers[0] (\"x\") has type int": {Informers: []Informers{Factory("x", 1)}},
		"Informers[0] (\"pods\")":           {Informers: []Informers{Informer("pods", nil)}},
		"Controllers[0] is nil":             {Controllers: []Controller{nil}},
		"Controllers has two":               {Controllers: []Controller{namedController("a"), namedController("a")}},
		"Queues[0].Snapshot is nil":         {Queues: []Queue{{Name: "a"}}},
		"Queues has two":                    {Queues: []Queue{QueueOf[string]("a", queue), QueueOf[string]("a", queue)}},
		"Shards[\"a\"] is nil":              {Shards: map[string]Sharded{"a": nil}},
		"Feeds[\"a\"]":                      {Feeds: map[string][]string{"a": nil}},
		"Token has 3 characters":            {Token: "abc"},
		"without surrounding space":         {Token: " abcdefgh"},
	} {
		func() {
			defer func() {
				if said, ok := recover().(string); !ok || !strings.HasPrefix(said, "console: Config.") || !strings.Contains(said, field) {
					t.Errorf("%s: %v", field, said)
				}
			}()
			Handler(config)
		}()
	}
}

func TestTheZeroConfig(t *testing.T) {
	page := Handler(Config{})
	want(t, page, "", "Nothing to show yet", "console.Factory", "Heap")
	want(t, page, "charts", "heap objects")
	want(t, page, "objects", "No informer")
	want(t, page, "queues", "No controllers or queues")
	want(t, page, "shards")
	for view, says := range map[string]string{
		"explain": "Config.Controllers", "informer?name=x": "unknown informer", "object?informer=x&key=y": "unknown informer",
		"objects?informer=x": "unknown informer", "queues?name=x": "unknown controller or queue", "nonsense": "no such view", "missing": "no such view",
	} {
		if code, text := get(t, page, view); code != 404 || !strings.Contains(text, says) {
			t.Errorf("%s: status %d, %s", view, code, text)
		}
	}
}

func TestNamesOfFactories(t *testing.T) {
	type other struct{ cache.SharedInformer }
	if _, bad := Informer("x", other{}).(badInformers); !bad {
		t.Error("an informer without a state is taken")
	}
}
