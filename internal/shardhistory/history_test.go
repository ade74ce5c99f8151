package shardhistory

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func at(seconds int) time.Time { return time.Unix(int64(seconds), 0) }

func TestViolationsAreFound(t *testing.T) {
	for name, tt := range map[string]struct {
		acts   []Act
		writes []Write
		wanted map[string]string
		done   map[string]string
		want   string
	}{
		"none": {
			acts:   []Act{{at(1), "a", 0, 1}, {at(2), "b", 1, 1}, {at(3), "a", 0, 1}, {at(4), "b", 0, 2}},
			writes: []Write{{"x", "1", 1}, {"y", "2", 2}, {"x", "3", 2}},
			wanted: map[string]string{"x": "v"}, done: map[string]string{"x": "v"},
		},
		// Acts of several processes come in the order in which these are heard.
		"none, heard late": {acts: []Act{{at(4), "b", 0, 2}, {at(1), "a", 0, 1}, {at(3), "a", 0, 1}}},
		"an old owner works on": {acts: []Act{{at(1), "a", 0, 1}, {at(2), "b", 0, 2}, {at(3), "a", 0, 1}, {at(4), "b", 0, 2}},
			want: "a works in shard 0 at epoch 1, 1s after b has at epoch 2"},
		"two of one epoch":  {acts: []Act{{at(1), "a", 3, 1}, {at(2), "b", 3, 1}}, want: "b and a work in shard 3 at epoch 1"},
		"a write too late":  {writes: []Write{{"x", "1", 5}, {"x", "2", 4}}, want: "x was written at epoch 4, version 2, after epoch 5"},
		"one of two shards": {acts: []Act{{at(1), "a", 0, 2}, {at(1), "a", 1, 9}, {at(2), "b", 1, 8}}, want: "b works in shard 1 at epoch 8"},
		"never done":        {wanted: map[string]string{"x": "v", "y": "w"}, done: map[string]string{"x": "v"}, want: `y was never given "w"`},
		"done for another":  {wanted: map[string]string{"x": "v"}, done: map[string]string{"x": "u"}, want: `x was never given "v"`},
	} {
		t.Run(name, func(t *testing.T) {
			var l Log
			for _, a := range tt.acts {
				l.Act(a)
			}
			for _, w := range tt.writes {
				l.Write(w)
			}
			for object, value := range tt.wanted {
				l.Wanted(object, value, at(1))
			}
			for object, value := range tt.done {
				l.Done(object, value, at(2))
			}
			found := l.Check()
			switch {
			case tt.want == "" && len(found) > 0, tt.want != "" && len(found) != 1:
				t.Errorf("found %v", found)
			case tt.want != "" && !strings.Contains(found[0].Error(), tt.want):
				t.Errorf("found %v, want %q", found[0], tt.want)
			}
		})
	}
}

func TestAges(t *testing.T) {
	var l Log
	l.Wanted("x", "1", at(0))
	l.Wanted("y", "1", at(5))
	l.Wanted("z", "1", at(5))
	l.Wanted("x", "1", at(3)) // again, as a watch that resumes may tell
	l.Done("x", "1", at(7))
	l.Done("x", "1", at(9))
	l.Done("y", "1", at(6))
	l.Wanted("z", "", at(6)) // it was deleted
	if got := l.Ages(); !slices.Equal(got, []time.Duration{time.Second, 7 * time.Second}) || l.Open() != 0 {
		t.Errorf("ages are %v, and %d are open", got, l.Open())
	}
}
