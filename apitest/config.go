package apitest

import (
	"fmt"
	"log/slog"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/serve"
)

// Config configures a server. The zero value works.
type Config struct {
	// InMemory makes a server without a socket: connections are pairs of pipes, created by Dial of the rest.Config. It
	// works in a testing/synctest bubble. Other processes cannot reach it.
	InMemory bool
	// InProcess makes a server without connections: the Transport of the rest.Config calls it. It does nothing between
	// requests, so that it need not be closed. It works in a bubble, too.
	InProcess bool
	// PlainHTTP makes a server with a socket, but without TLS. kubectl sends no token to such a server.
	PlainHTTP bool

	// Objects are the initial objects, stored unchanged: see Server.Put.
	Objects []runtime.Object
	// History is the number of changes of each resource that are kept for watches and lists of older versions. 0 means
	// 10,000.
	History int

	// Kinds are served besides the built-in ones, without a definition: their objects are stored unchanged.
	Kinds []Kind
	// Lenient makes a server that stores objects of all kinds unchanged, as the simple fakes of client-go do. There is
	// no validation and no defaulting, and namespaces are not required; there are none initially. A write of the object
	// also writes the status. An object without finalizers is removed when it is deleted. All versions that have
	// clients are served.
	Lenient bool
	// Untyped makes a lenient server for which all objects are plain JSON, including those of built-in kinds. Strategic
	// merge patches and protobuf need types.
	Untyped bool
	// Unversioned makes a lenient server that also leaves UID, resourceVersion and creationTimestamp of objects as they are
	// written, and does not compare them, as the object trackers of client-go do: there are no conflicts. Lists and watches
	// have versions, so that informers miss nothing.
	Unversioned bool

	// Tokens are the accepted bearer tokens, besides those of service accounts that were requested, and AdminToken,
	// which is accepted if there are no other tokens.
	Tokens map[string]User
	// Allow decides whether a request is authorized. Nil means that members of system:masters may do everything and
	// others may read discovery, as in a cluster without any roles.
	Allow func(*Request) bool

	// CreateNamespaces creates a namespace when the first object in it is created. Otherwise that is an error, as in a
	// cluster.
	CreateNamespaces bool
	// NoControllers disables controllers. Otherwise a namespace that is deleted is emptied and removed. There is no
	// other controller.
	NoControllers bool
	// CBOR makes the server read and write application/cbor, application/cbor-seq and application/apply-patch+cbor, which in
	// a cluster is behind the feature gate CBORServingAndStorage. Otherwise it refuses a body in CBOR with 415, and responds
	// with another media type of those that are accepted.
	CBOR bool
	// ShardSelectors makes lists and watches support shardSelector, which in a cluster is behind a feature gate.
	ShardSelectors bool

	// Faults are injected from the start: see Server.Inject.
	Faults []Fault

	// Logger receives connection errors. Nil means no logging.
	Logger *slog.Logger
}

// Kind is a kind that is served without a definition. If its Plural is empty, it is guessed.
type Kind = kinds.Schemaless

// User is the user of a request.
type User = serve.User

// Request is a request, in terms of authorization rules.
type Request = serve.Request

// AdminToken is the bearer token of the only user of a server without Tokens.
const AdminToken = "apitest-admin"

// admin is the user of AdminToken.
var admin = User{Name: "admin", Groups: []string{masters, authenticated}}

const (
	masters       = "system:masters"
	authenticated = "system:authenticated"
)

func (c *Config) validate() error {
	if c.InMemory && c.PlainHTTP {
		return fmt.Errorf("apitest: Config.PlainHTTP and InMemory cannot be combined")
	}
	if c.InProcess && (c.PlainHTTP || c.InMemory) {
		return fmt.Errorf("apitest: Config.InProcess cannot be combined with PlainHTTP or InMemory")
	}
	for _, k := range c.Kinds {
		if k.Version == "" || k.Kind == "" {
			return fmt.Errorf("apitest: Config.Kinds has an entry without a version or a kind: %s", k.GroupVersionKind)
		}
	}
	if c.History < 0 {
		return fmt.Errorf("apitest: Config.History is negative: %d", c.History)
	}
	for i := range c.Faults {
		if err := c.Faults[i].validate(); err != nil {
			return fmt.Errorf("apitest: Config.Faults[%d]: %w", i, withoutPrefix(err))
		}
	}
	for token, user := range c.Tokens {
		if token == "" || user.Name == "" {
			return fmt.Errorf("apitest: Config.Tokens has an empty token, or a user without a name")
		}
	}
	return nil
}

func (c *Config) lenient() bool { return c.Lenient || c.Untyped || c.Unversioned }

func (c *Config) tokens() map[string]User {
	if len(c.Tokens) == 0 {
		return map[string]User{AdminToken: admin}
	}
	return c.Tokens
}
