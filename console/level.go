//go:build !vedette_noconsole

package console

import "strings"

// level is how well something is.
type level int

const (
	// levelOff is what has not begun or has ended.
	levelOff level = iota
	// levelIdle is well, with nothing to do.
	levelIdle
	// levelOK is well, and at work.
	levelOK
	// levelBusy is on its way to be well: a first list, a start.
	levelBusy
	// levelSlow needs a look, levelFailing needs help.
	levelSlow
	levelFailing
)

// Every level has a sign and a word: the page can be read without colours.
var levels = [...]struct{ class, sign, word string }{
	{"off", "■", "off"},
	{"idle", "○", "idle"},
	{"ok", "✓", "ok"},
	{"busy", "↻", "starting"},
	{"slow", "▲", "slow"},
	{"failing", "✕", "failing"},
}

// Class is the level in the style sheet.
func (l level) Class() string { return levels[l].class }

// Sign is the level as a sign.
func (l level) Sign() string { return levels[l].sign }

// Word is the level as a word.
func (l level) Word() string { return levels[l].word }

// Trouble tells whether somebody should look.
func (l level) Trouble() bool { return l >= levelSlow }

// MarshalText is for JSON.
func (l level) MarshalText() ([]byte, error) { return []byte(l.Word()), nil }

// stage is one box of the picture.
type stage struct {
	// ID is the name in addresses and tests, Title that for people.
	ID    string `json:"id"`
	Title string `json:"title"`
	Level level  `json:"level"`
	// Figure is the one number that matters most, Unit what it counts.
	Figure string `json:"figure"`
	Unit   string `json:"unit"`
	Facts  []fact `json:"facts,omitempty"`
	// Cause says why the level is not ok, in a sentence.
	Cause string `json:"cause,omitempty"`
	// Flow is how much goes on to the next stage in a second, negative if that is not known.
	Flow float64 `json:"flow"`
	Link string  `json:"-"`
}

// fact is something to know about a stage.
type fact struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// raise makes it worse, not better. Of two causes of one level the first stays.
func (s *stage) raise(to level, cause string) {
	if to > s.Level {
		s.Level, s.Cause = to, cause
	}
}

func (s *stage) fact(label, value string) { s.Facts = append(s.Facts, fact{label, value}) }

// lane is the way from the server to the workers of one informer, or the end of it for a controller whose informers are not
// known.
type lane struct {
	Name string `json:"name"`
	// Type is that of the objects.
	Type  string `json:"type,omitempty"`
	Level level  `json:"level"`
	// Stages are those of the informer, Tails those of each queue that it feeds: queue and workers.
	Stages []stage `json:"stages,omitempty"`
	Tails  []tail  `json:"tails,omitempty"`
	// Spark is the events per second of the last minutes, as points of a line.
	Spark string `json:"-"`
	Link  string `json:"-"`
}

// TypeTells tells whether the type says more than the name.
func (l lane) TypeTells() bool { return l.Type != "" && !strings.HasSuffix(l.Name, l.Type) }

// tail is a work queue and its workers.
type tail struct {
	Name string `json:"name"`
	// What is "controller" or "queue".
	What   string  `json:"what"`
	Stages []stage `json:"stages"`
	Link   string  `json:"-"`
}

// trouble is a stage that somebody should look at.
type trouble struct {
	Where string `json:"where"`
	Stage stage  `json:"stage"`
}

// settle finds the worst level of the lane.
func (l *lane) settle() {
	// A lane is as well as the worst of its stages; one that works is not made idle by a stage that has nothing to do.
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

// troubles are those of several lanes, the worst first. A controller that several informers feed is there once.
func troubles(lanes []lane) []trouble {
	var found []trouble
	seen := map[string]bool{}
	for want := levelFailing; want >= levelSlow; want-- {
		add := func(where string, stages []stage) {
			for _, s := range stages {
				if id := where + "\x00" + s.ID; s.Level == want && !seen[id] {
					seen[id] = true
					found = append(found, trouble{where, s})
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
