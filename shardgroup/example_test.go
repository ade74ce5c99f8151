package shardgroup_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/shardgroup"
)

// A single member owns all shards, once the group has existed for LeaseDuration.
func ExampleGroup() {
	server, err := apitest.Start(apitest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	group, err := shardgroup.New(shardgroup.Config{Name: "copy", Namespace: "default", REST: server.RESTConfig(), Shards: 4,
		LeaseDuration: time.Second, RenewDeadline: 600 * time.Millisecond, RetryPeriod: 200 * time.Millisecond, // so that it is quick
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- group.Run(ctx) }()
	for len(group.Owned()) == 0 {
		<-group.Changed()
	}
	work, done, err := group.Begin(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	_, ok := shardgroup.Epoch(work) // pass work to clients: it ends with the ownership
	fmt.Println("owned:", group.Owned(), "in a shard:", ok)
	done()
	stop()
	fmt.Println("left:", <-ended)
	// Output:
	// owned: [0 1 2 3] in a shard: true
	// left: <nil>
}
