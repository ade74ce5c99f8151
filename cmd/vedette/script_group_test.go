package main

import (
	"context"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vedette.dev/shard"
	"vedette.dev/shardgroup"
)

// group runs a member of a group until the script ends, and waits until it owns the shards: group NAME
func group(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	g, err := shardgroup.New(shardgroup.Config{
		Name: args[0], Namespace: "default", REST: s.server.RESTConfig(), Shards: 4, Key: shard.ByName(), Identity: "replica",
		LeaseDuration: time.Second, RenewDeadline: 600 * time.Millisecond, RetryPeriod: 200 * time.Millisecond,
	})
	ts.Check(err)
	ctx, stop := context.WithCancel(s.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = g.Run(ctx)
	}()
	ts.Defer(func() {
		stop()
		<-ended
	})
	for len(g.Owned()) < 4 {
		select {
		case <-g.Changed():
		case <-ended:
			ts.Fatalf("the member has ended: %v", g.State().Err)
		}
	}
}
