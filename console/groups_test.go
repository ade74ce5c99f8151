//go:build !vedette_noconsole

package console

import (
	"errors"
	"testing"
	"time"

	"vedette.dev/shardgroup"
)

type fakeMember shardgroup.State

func (m fakeMember) State() shardgroup.State { return shardgroup.State(m) }

func TestAGroupOnTheMapOfShards(t *testing.T) {
	state := fakeMember{Group: "ops/pods", Name: "a", Shards: []shardgroup.ShardState{
		{Owner: "a", Phase: "owned", Epoch: 7, Here: true, Load: 12},
		{Owner: "a", Target: "b", Phase: "draining"},
		{Owner: "b", Phase: "owned"},
		{Phase: "free", UnownedFor: 1500 * time.Millisecond},
	}, Moves: []shardgroup.Move{
		{Shard: 2, From: "c", At: time.Now().Add(-time.Minute)},
		{Shard: 2, To: "b", At: time.Now(), Took: 9 * time.Second},
	}}
	page := Handler(Config{Shards: map[string]Sharded{"pods by replica": Group(state)}})
	want(t, page, "shards", "3 holders", "draining for b", "no owner for 1.5s", "epoch 7", ">0002<", ">9 s<", "<td>c</td><td>no owner</td>", "under way")
	state.Err = errors.New("membership was lost")
	want(t, Handler(Config{Shards: map[string]Sharded{"pods by replica": Group(state)}}), "shards", "membership was lost")
	if Group(nil) != nil {
		t.Error("a group without a member")
	}
}
