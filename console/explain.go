//go:build !vedette_noconsole

package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vedette.dev/controller"
)

// explainData is the data of the view that explains a key.
type explainData struct {
	// Controllers are the names to choose from.
	Controllers     []string
	Controller, Key string
	Explained       []explained
}

// explained is an explanation with the steps to draw.
type explained struct {
	controller.Explanation
	Level level
	Steps []step
	// Recent is the history, newest first.
	Recent []controller.Record
	Now    time.Time
}

// step is one step on the path of a key.
type step struct {
	Title string
	// Here is true if the key is at this step, Past if it has passed it.
	Here, Past bool
}

// MarshalJSON returns only the explanations.
func (d *explainData) MarshalJSON() ([]byte, error) {
	all := []controller.Explanation{}
	for _, e := range d.Explained {
		all = append(all, e.Explanation)
	}
	return json.Marshal(all)
}

var steps = []string{"watched", "delivered", "passed", "queued", "worked on", "done"}

// stageSteps maps a stage to the step that it is at, and to its level.
var stageSteps = map[controller.Stage]struct {
	step  int
	level level
}{
	controller.StageNotRunning:   {0, levelFailing},
	controller.StageNotWatched:   {0, levelFailing},
	controller.StageNotReady:     {1, levelBusy},
	controller.StageNotDelivered: {1, levelSlow},
	controller.StageFiltered:     {2, levelIdle},
	controller.StageWaiting:      {3, levelBusy},
	controller.StageDelayed:      {3, levelIdle},
	controller.StageBackingOff:   {3, levelFailing},
	controller.StageWorking:      {4, levelOK},
	controller.StageRequesting:   {4, levelOK},
	controller.StageThrottled:    {4, levelSlow},
	controller.StageGivenUp:      {4, levelFailing},
	controller.StageDone:         {5, levelOK},
	controller.StageUnknown:      {-1, levelOff},
}

func newExplained(e controller.Explanation, now time.Time) explained {
	at, known := stageSteps[e.Stage]
	if !known {
		at.step, at.level = -1, levelOff
	}
	// Any stage that lasts too long is shown as slow.
	if waits := age(e.Since, now); at.level < levelSlow &&
		(at.step == 4 && waits > workerSlow || e.Stage == controller.StageWaiting && waits > queueSlow) {
		at.level = levelSlow
	}
	x := explained{Explanation: e, Level: at.level, Now: now}
	for i, title := range steps {
		x.Steps = append(x.Steps, step{Title: title, Here: i == at.step, Past: i < at.step})
	}
	x.Recent = slices.Clone(e.History)
	slices.Reverse(x.Recent)
	return x
}

// known returns 1 for a key that the controller knows, and 0 otherwise.
func known(e explained) int {
	if e.Stage == controller.StageUnknown {
		return 0
	}
	return 1
}

func (p *Page) explainView(q query) (any, error) {
	d := &explainData{Controller: q.Get("controller"), Key: strings.TrimSpace(q.Get("key"))}
	var asked []Controller
	for _, c := range p.config.controllers() {
		d.Controllers = append(d.Controllers, c.Name())
		if d.Controller == "" || d.Controller == c.Name() {
			asked = append(asked, c)
		}
	}
	slices.Sort(d.Controllers)
	if len(d.Controllers) == 0 {
		if p.config.MoreControllers != nil {
			return d, fmt.Errorf("no controller is running: %w", errNotFound)
		}
		return d, fmt.Errorf("no controllers: console.Config.Controllers is empty: %w", errNotFound)
	}
	if len(asked) == 0 {
		return d, fmt.Errorf("unknown controller %q; known are %s: %w", d.Controller, strings.Join(d.Controllers, ", "), errNotFound)
	}
	if d.Key == "" {
		return d, nil
	}
	var wrong error
	for _, c := range asked {
		e, err := c.ExplainString(d.Key)
		if err != nil {
			wrong = err
			continue
		}
		d.Explained = append(d.Explained, newExplained(e, time.Now()))
	}
	// Controllers that do not know the key come last.
	slices.SortStableFunc(d.Explained, func(a, b explained) int { return cmp.Compare(known(b), known(a)) })
	if len(d.Explained) == 0 {
		return d, wrong
	}
	return d, nil
}
