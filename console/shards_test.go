//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// fakeShards is what a sharded informer could tell.
type fakeShards struct{}

func (fakeShards) Shards() []ShardView {
	return []ShardView{
		{ID: "b", Holder: "one", Scope: "hash 1/3", Objects: 300, Bytes: 3e6, EventsPerSecond: 5, Lag: time.Millisecond, State: "watching", Moves: 1},
		{ID: "a", Holder: "one", Scope: "hash 0/3", Objects: 100, State: "watching"},
		{ID: "c", Holder: "two", Scope: "hash 2/3", Objects: 100, State: "backing off", Cause: errors.New("the server is <gone>")},
	}
}

func (fakeShards) ShardMoves() []ShardMove {
	return []ShardMove{
		{At: time.Now().Add(-time.Minute), ID: "a", From: "two", To: "one", Why: "two was full", Took: time.Second},
		{At: time.Now(), ID: "b", From: "two", To: "one", Why: "balance"},
	}
}

func TestTheMapOfShards(t *testing.T) {
	set := newShardSet("maps", fakeShards{}.Shards())
	if len(set.Holders) != 2 || set.Objects != 500 || set.Level != levelFailing {
		t.Fatalf("%+v", set)
	}
	// 400 of a mean of 250.
	if math.Abs(set.Balance-1.6) > 1e-9 {
		t.Errorf("balance %v", set.Balance)
	}
	one, two := set.Holders[0], set.Holders[1]
	if one.Shards[0].ID != "a" || one.Shards[1].X != 25 || one.Shards[1].Width != 75 || one.Width != 100 || two.Width != 25 {
		t.Errorf("places %+v, %+v", one.Shards, two.Shards)
	}
	empty := newShardSet("none", nil)
	if empty.Balance != 0 || len(empty.Holders) != 0 {
		t.Errorf("nothing is %+v", empty)
	}
	weightless := newShardSet("new", []ShardView{{ID: "a"}, {ID: "b"}})
	if w := weightless.Holders[0].Shards[0].Width; w != 50 || weightless.Holders[0].Name != "this process" {
		t.Errorf("%+v", weightless.Holders)
	}
	skewed := newShardSet("skewed", []ShardView{{ID: "a", Holder: "1", Objects: 90}, {ID: "b", Holder: "2"}, {ID: "c", Holder: "3"}})
	if skewed.Level != levelSlow {
		t.Errorf("a balance of %v is %s", skewed.Balance, skewed.Level.Word())
	}
}

func TestShardsView(t *testing.T) {
	page := Handler(Config{Shards: map[string]Sharded{"maps": fakeShards{}}})
	text := want(t, page, "shards", "balance <b>1.60</b>", "hash 2/3", "the server is &lt;gone&gt;", "under way", "two was full", ">Shards</a>")
	if strings.Index(text, ">balance<") > strings.Index(text, ">two was full<") {
		t.Error("the newest move is not the first")
	}
	var data struct{ Sets []struct{ Balance float64 } }
	if err := json.Unmarshal([]byte(want(t, page, "shards?format=json")), &data); err != nil || data.Sets[0].Balance != 1.6 {
		t.Errorf("%+v, %v", data, err)
	}
	if text := want(t, Handler(Config{}), "shards", "Config.Shards"); strings.Contains(text, ">Shards</a>") {
		t.Error("a page without shards has a tab for them")
	}
}
