//go:build !vedette_noconsole

package console

import (
	"strings"
	"testing"
	"time"

	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// foreign is a controller that is not of package controller.
type foreign struct {
	name  string
	queue *workqueue.Typed[string]
}

func (f foreign) Name() string { return f.name }

func (f foreign) State() controller.State {
	return controller.State{
		Name: f.name, Phase: controller.PhaseRunning, Workers: 2, Reconciles: 7, Failures: 3,
		Busy: []controller.Busy{{Key: "default/busy", Since: time.Now()}},
	}
}

func (f foreign) ExplainString(key string) (controller.Explanation, error) {
	return controller.Explanation{Controller: f.name, Key: key, Stage: controller.StageWorking, Because: "it is foreign"}, nil
}

func (f foreign) QueueSnapshot(limit int) workqueue.Snapshot[string] {
	return workqueue.TextSnapshot[string](f.queue, limit)
}

func (f foreign) Feeds() []string { return []string{"core/v1.ConfigMap"} }

// TestControllersThatComeAndGo has controllers that there were not when the page was made.
func TestControllersThatComeAndGo(t *testing.T) {
	var now []Controller
	withProgram(t, nil, func(t *testing.T, p *program) {
		p.config.MoreControllers = func() []Controller { return now }
		if code, text := get(t, p.Page, "explain?controller=foreign&key=default/a"); code != 404 || !strings.Contains(text, "foreign") {
			t.Errorf("status %d: %s", code, text)
		}
		queue := workqueue.NewTyped[string]()
		defer queue.ShutDown()
		queue.Add("default/queued")
		now = []Controller{foreign{"foreign", queue}, foreign{"foreign", queue}}
		time.Sleep(2 * time.Second) // readings are kept for a moment
		want(t, p.Page, "queues?name=foreign", "running, 1 of 2 workers busy, 7 reconciles, 3 failed", "default/busy", "default/queued", `<input name="key"`)
		want(t, p.Page, "explain?controller=foreign&key=default/a", "it is foreign")
		text := want(t, p.Page, "?format=json", `"foreign"`)
		if n := strings.Count(text, `"foreign"`); n != 1 {
			t.Errorf("it is shown %d times", n)
		}
		if w := p.sampler.reader.read(time.Now()).work("foreign"); w == nil || len(w.feeds) != 1 || w.feeds[0] != "core/v1.ConfigMap" {
			t.Errorf("the reading is %+v", w)
		}
		now = nil
		time.Sleep(2 * time.Second)
		if text := want(t, p.Page, "queues"); strings.Contains(text, "foreign") {
			t.Error("it is still shown")
		}
	})
}
