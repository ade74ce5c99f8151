package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/internal/clock"
	"vedette.dev/internal/hashspace"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/shardgroup/internal/protocol"
)

// Config configures a [Group]. Name, Namespace and REST are required.
type Config struct {
	// Name is the name of the group, and of the ConfigMap with its map, in Namespace. All members have the same.
	Name, Namespace string
	// REST is the configuration of the client for the map and the leases.
	REST *rest.Config

	// Shards is the number of shards; zero means 64. Key is what objects are divided by; the zero value means
	// shard.ByNamespaceMixed. With shard.ByNamespace, servers with the feature gate ShardedListAndWatch send each member only
	// what is in its shards, and namespaces with similar names are in few shards. All members have the same of both.
	Shards int
	Key    shard.HashKey

	// Identity is the name of this process in the map, such as the name of the pod, which is the default. A random suffix
	// makes it the name of this run.
	Identity string
	// Capacity is the share of the load that this member should have, relative to others. Zero means 1.
	Capacity float64

	// Load returns the load of a shard that this member owns, such as the time that its reconciles take. Shards are assigned so
	// that each member has its share of the sum. It is called with every renewal. Nil means the number of objects that the
	// informers of Bind have, or that all shards are the same if there are none.
	Load func(shard int) float64

	// LeaseDuration is how long the others wait before they take over the shards of a member that has not renewed its
	// lease; zero means 9 s. RenewDeadline is how long a member works without a renewal; zero means 7 s. RetryPeriod
	// is the time between renewals; zero means 2 s. They have the same meaning as in leader election.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
	// DrainTimeout is how long work in a shard may take to end when the shard is to go to another member. Then its
	// context is cancelled and its requests are refused; if it does not return for as long again, the member leaves the
	// group with ErrDrainTimeout. Zero means 30 s.
	DrainTimeout time.Duration
	// SettleTime is how long the members must have been the same before shards are moved for a better balance. Zero
	// means 5 s. Shards without an owner are not affected.
	SettleTime time.Duration

	// Prepare, if set, fills the caches for a shard, and returns when they are filled. It is called while the shard still has
	// its owner, if it has one, and no work begins before it has returned nil. After an error it is called again. Its
	// context ends when the shard is not to come after all. It may be called for several shards concurrently. A shard stays with
	// its owner until it is prepared; if the owner leaves the group, until PrepareTimeout. Zero means 30 s. See also Bind.
	Prepare        func(ctx context.Context, shard int) error
	PrepareTimeout time.Duration

	// Logger receives changes and errors. Nil means no logging.
	Logger *slog.Logger

	clock clock.Clock // for tests
}

// coordinators is the number of members that watch the leases of all others: one that decides, and two that may take its
// place without having to learn first how old the leases are.
const coordinators = 3

func (c *Config) setDefaults() {
	def := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	def(&c.LeaseDuration, 9*time.Second)
	def(&c.RenewDeadline, 7*time.Second)
	def(&c.RetryPeriod, 2*time.Second)
	def(&c.DrainTimeout, 30*time.Second)
	def(&c.SettleTime, 5*time.Second)
	def(&c.PrepareTimeout, 30*time.Second)
	if c.Shards == 0 {
		c.Shards = 64
	}
	if c.Key.String() == "" {
		c.Key = shard.ByNamespaceMixed()
	}
	if c.Capacity == 0 {
		c.Capacity = 1
	}
	if c.Identity == "" {
		c.Identity, _ = os.Hostname()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.clock == nil {
		c.clock = &clock.System{}
	}
}

// maxShards is the largest number of shards, so that the map stays below 64 KB.
const maxShards = 4096

func (c *Config) validate() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"LeaseDuration", c.LeaseDuration}, {"RenewDeadline", c.RenewDeadline}, {"RetryPeriod", c.RetryPeriod},
		{"DrainTimeout", c.DrainTimeout}, {"SettleTime", c.SettleTime}, {"PrepareTimeout", c.PrepareTimeout},
	} {
		if d.value < 0 {
			return fmt.Errorf("shardgroup: Config.%s is %v; it must not be negative", d.name, d.value)
		}
	}
	switch {
	case c.REST == nil:
		return errors.New("shardgroup: Config.REST is nil")
	case c.Namespace == "":
		return errors.New("shardgroup: Config.Namespace is empty")
	case c.Shards < 1 || c.Shards > maxShards:
		return fmt.Errorf("shardgroup: Config.Shards is %d, want 1 to %d", c.Shards, maxShards)
	case !(c.Capacity > 0):
		return fmt.Errorf("shardgroup: Config.Capacity is %v; it must be positive", c.Capacity)
	case c.Identity == "":
		return errors.New("shardgroup: Config.Identity is empty, and the host has no name")
	// A member with a clock that is 1 % slow must have stopped before one with a clock that is 1 % fast takes over.
	case float64(c.LeaseDuration) < float64(c.RenewDeadline)*1.03:
		return fmt.Errorf("shardgroup: Config.LeaseDuration is %v; it must be at least 3 %% longer than RenewDeadline, which is %v", c.LeaseDuration, c.RenewDeadline)
	case c.RenewDeadline < 2*c.RetryPeriod:
		return fmt.Errorf("shardgroup: Config.RenewDeadline is %v; it must be at least twice RetryPeriod, which is %v", c.RenewDeadline, c.RetryPeriod)
	}
	if problems := validation.IsValidLabelValue(c.Name); len(problems) > 0 || c.Name == "" {
		return fmt.Errorf("shardgroup: Config.Name is %q: %s", c.Name, strings.Join(append(problems, "it is the name of a ConfigMap and a label"), "; "))
	}
	return nil
}

// member returns the name of this run of the process, which is also the name of its lease.
func (c *Config) member() (protocol.Member, error) {
	name := c.Name + "-" + c.Identity + "-" + rand.String(8)
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return "", fmt.Errorf("shardgroup: Config.Name and Config.Identity make %q the name of a Lease: %s", name, strings.Join(problems, "; "))
	}
	return protocol.Member(name), nil
}

// ranges are the hashes of the shards.
func (c *Config) ranges() []shard.Range { return hashspace.Equal(c.Shards) }
