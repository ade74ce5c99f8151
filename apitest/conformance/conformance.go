package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"vedette.dev/rest"
)

// Target is a server to try.
type Target struct {
	// Config is for an administrator, who may do everything.
	Config *rest.Config

	// Plain is for a user without rights. Without one, the behaviours that need it are skipped.
	Plain *rest.Config

	// Compact compacts all versions but the current one: when it returns, both a list and a watch of an older version
	// are rejected. The server may be unavailable meanwhile. Without it, the behaviours that need it are skipped.
	Compact func(ctx context.Context) error

	// Shards means that the server supports shardSelector. A real one does with its feature ShardedListAndWatch, which
	// is off by default.
	Shards bool

	// Only are the subjects to try. None means all.
	Only []string

	// Skip is where the server differs on purpose: the name of a behaviour, as Names has it, and the reason.
	Skip map[string]string
}

// limit is how long one behaviour may take. The slowest wait for three seconds on a real server.
const limit = 30 * time.Second

// behaviour is one thing that a server does.
type behaviour struct {
	name string // a sentence, or most of one
	run  func(*env)
}

// subject is a group of behaviours.
type subject struct {
	name       string
	behaviours []behaviour
	// alone means that its behaviours run one at a time, and nothing else meanwhile.
	alone bool
}

func subjects() []subject {
	return []subject{
		{name: "create", behaviours: slices.Concat(creating, creatingWrong)},
		{name: "read", behaviours: slices.Concat(reading, readingVersions)},
		{name: "pages", behaviours: paging},
		{name: "select", behaviours: selecting},
		{name: "update", behaviours: slices.Concat(updating, updatingWrong)},
		{name: "patch", behaviours: slices.Concat(patching, patchingWrong)},
		{name: "strategic", behaviours: strategic},
		{name: "apply", behaviours: slices.Concat(applying, applyingWrong)},
		{name: "delete", behaviours: slices.Concat(deleting, finalizing)},
		{name: "watch", behaviours: slices.Concat(watching, watchingFrom)},
		{name: "initial", behaviours: streaming},
		{name: "views", behaviours: views},
		{name: "subresources", behaviours: subresources},
		{name: "custom", behaviours: slices.Concat(custom, customWrites)},
		{name: "namespaces", behaviours: namespaces},
		{name: "discovery", behaviours: discovering},
		{name: "content", behaviours: content},
		{name: "auth", behaviours: authorizing},
		{name: "garbage", behaviours: garbage},
		{name: "concurrency", behaviours: concurrency},
		{name: "shards", behaviours: sharding},
		{name: "expiry", behaviours: expiring, alone: true},
	}
}

// Names are the names of all behaviours, subject/behaviour, in the order in which they run.
func Names() (names []string) {
	for _, s := range subjects() {
		for _, b := range s.behaviours {
			names = append(names, s.name+"/"+b.name)
		}
	}
	return names
}

// Run tries every behaviour on the target, each as a subtest.
func Run(t *testing.T, target Target) {
	names := Names()
	for name := range target.Skip {
		if !slices.Contains(names, name) {
			t.Errorf("Skip has an unknown behaviour %q: see Names", name)
		}
	}
	clients := connect(t, target)
	for _, s := range subjects() {
		if len(target.Only) == 0 || slices.Contains(target.Only, s.name) {
			runSubject(t, clients, s)
		}
	}
}

// runSubject returns when all of the subject's behaviours have: parallel subtests end before their parent does.
func runSubject(t *testing.T, clients *clients, s subject) {
	t.Run(s.name, func(t *testing.T) {
		for _, b := range s.behaviours {
			t.Run(b.name, func(t *testing.T) {
				if why, skip := clients.target.Skip[s.name+"/"+b.name]; skip {
					t.Skip("differs on purpose: " + why)
				}
				if !s.alone {
					t.Parallel()
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				b.run(&env{T: t, clients: clients, ctx: ctx})
			})
		}
	})
}
