//go:build !vedette_noconsole

package console

import "strings"

// level is the health of a stage.
type level int

const (
	// levelOff means not started, or stopped.
	levelOff level = iota
	// levelIdle means healthy, with nothing to do.
	levelIdle
	// levelOK means healthy and working.
	levelOK
	// levelBusy means starting up, such as during the initial list.
	levelBusy
	// levelSlow is a warning, levelFailing an error.
	levelSlow
	levelFailing
)

// Every level has a sign and a word, so that the page can be read without colours.
var levels = [...]struct{ class, sign, word string }{
	{"off", "■", "off"},
	{"idle", "○", "idle"},
	{"ok", "✓", "ok"},
	{"busy", "↻", "starting"},
	{"slow", "▲", "slow"},
	{"failing", "✕", "failing"},
}

// Class returns the CSS class of the level.
func (l level) Class() string { return levels[l].class }

// Sign returns the sign of the level.
func (l level) Sign() string { return levels[l].sign }

// Word returns the level as a word.
func (l level) Word() string { return levels[l].word }

// IsProblem reports whether the level is a warning or an error.
func (l level) IsProblem() bool { return l >= levelSlow }

// MarshalText is for JSON.
func (l level) MarshalText() ([]byte, error) { return []byte(l.Word()), nil }

// stage is one box of the diagram.
type stage struct {
	// ID is the name in addresses and tests, Title the name on the page.
	ID    string `json:"id"`
	Title string `json:"title"`
	Level level  `json:"level"`
	// Figure is the most important number, Unit its unit.
	Figure string `json:"figure"`
	Unit   string `json:"unit"`
	Facts  []fact `json:"facts,omitempty"`
	// Cause says in a sentence why the level is not ok.
	Cause string `json:"cause,omitempty"`
	// Flow is the rate per second at which items go on to the next stage, negative if unknown.
	Flow float64 `json:"flow"`
	Link string  `json:"-"`
}

// fact is a detail of a stage.
type fact struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// raise raises the level, and never lowers it. If two causes have the same level, the first is kept.
func (s *stage) raise(to level, cause string) {
	if to > s.Level {
		s.Level, s.Cause = to, cause
	}
}

func (s *stage) fact(label, value string) { s.Facts = append(s.Facts, fact{label, value}) }

// lane is one row of the diagram: the stages of an informer from the server to the workers, or only queue and workers
// of a controller whose informers are unknown.
type lane struct {
	Name string `json:"name"`
	// Type is the type of the objects.
	Type  string `json:"type,omitempty"`
	Level level  `json:"level"`
	// Stages are the stages of the informer, Tails the queues that it feeds, with their workers.
	Stages []stage `json:"stages,omitempty"`
	Tails  []tail  `json:"tails,omitempty"`
	// Spark is the sparkline of the events per second in the last minutes, as points.
	Spark string `json:"-"`
	Link  string `json:"-"`
}

// ShowType reports whether the type adds something to the name.
func (l lane) ShowType() bool { return l.Type != "" && !strings.HasSuffix(l.Name, l.Type) }

// tail is a work queue and its workers.
type tail struct {
	Name string `json:"name"`
	// What is "controller" or "queue".
	What   string  `json:"what"`
	Stages []stage `json:"stages"`
	Link   string  `json:"-"`
}

// problem is a stage with a warning or an error.
type problem struct {
	Where string `json:"where"`
	Stage stage  `json:"stage"`
}

// settle sets the level of the lane.
func (l *lane) settle() {
	// The level of a lane is that of its worst stage; an idle stage does not make a working lane idle.
	for _, s := range l.all() {
		l.Level = max(l.Level, s.Level)
	}
}

func (l *lane) all() []stage {
	all := append([]stage(nil), l.Stages...)
	for _, t := range l.Tails {
		all = append(all, t.Stages...)
	}
	return all
}

// problems returns the problems of several lanes, worst first. A controller that is fed by several informers is listed
// once.
func problems(lanes []lane) []problem {
	var found []problem
	seen := map[string]bool{}
	for want := levelFailing; want >= levelSlow; want-- {
		add := func(where string, stages []stage) {
			for _, s := range stages {
				if id := where + "\x00" + s.ID; s.Level == want && !seen[id] {
					seen[id] = true
					found = append(found, problem{where, s})
				}
			}
		}
		for _, l := range lanes {
			add(l.Name, l.Stages)
			for _, t := range l.Tails {
				add(t.Name, t.Stages)
			}
		}
	}
	return found
}
