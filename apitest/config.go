package apitest

import (
	"fmt"
	"log/slog"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/serve"
)

// Config says how a server is to be. The zero value works.
type Config struct {
	// InMemory makes a server without a socket: connections are pairs of pipes, which Dial of the rest.Config makes. It works
	// in a testing/synctest bubble. Programs other than this one cannot reach it.
	InMemory bool
	// InProcess makes a server without connections: the Transport of the rest.Config calls it. It does not do anything between
	// requests, so that one that is forgotten needs no Close. It works in a bubble, too.
	InProcess bool
	// PlainHTTP makes a server with a socket that does without TLS. kubectl sends no token to such a server.
	PlainHTTP bool

	// Objects are there from the beginning, as they are: see Server.Put.
	Objects []runtime.Object
	// History is how many changes of each resource are kept for watches and lists of the past. 0 means 10,000.
	History int

	// Kinds are served besides the built-in ones, without a definition: their objects are taken as they are.
	Kinds []Kind
	// Lenient makes a server that takes objects of all kinds as they are, as the simple fakes of client-go do. It knows no rules
	// and no defaults, and asks for no namespaces; there are none in the beginning. A write of the object is also one of
	// the status. What has no finalizers goes when it is deleted. It serves all versions that there are clients for.
	Lenient bool
	// Untyped makes a lenient server for which all objects are just JSON, those of built-in kinds, too. Strategic merge patches
	// and protobuf need types.
	Untyped bool

	// Tokens are the bearer tokens that are accepted, besides those of service accounts that were asked for, and AdminToken,
	// which is there if no other token is given.
	Tokens map[string]User
	// Allow decides whether a request may be made. Nil means that members of system:masters may do everything and others
	// may look at what is served, as in a cluster without any roles.
	Allow func(*Request) bool

	// CreateNamespaces makes a namespace when the first object in it is created. Otherwise that is an error, as in a cluster.
	CreateNamespaces bool
	// NoControllers leaves to the test what controllers do in a cluster. Otherwise a namespace that is deleted is emptied and
	// goes. There is no other controller.
	NoControllers bool
	// ShardSelectors makes lists and watches understand shardSelector, which in a cluster is behind a feature gate.
	ShardSelectors bool

	// Faults are in force from the beginning: see Server.Inject.
	Faults []Fault

	// Logger hears about trouble with connections. Nil means silence.
	Logger *slog.Logger
}

// Kind is a kind that is served without a definition. Its Plural, if empty, is guessed.
type Kind = kinds.Loose

// User is who a request comes from.
type User = serve.User

// Request is what a client asks for, in the words of authorization rules.
type Request = serve.Request

// AdminToken is the bearer token of the one user of a server to which no tokens are given.
const AdminToken = "apitest-admin"

// admin is the user of AdminToken.
var admin = User{Name: "admin", Groups: []string{masters, authenticated}}

const (
	masters       = "system:masters"
	authenticated = "system:authenticated"
)

func (c *Config) validate() error {
	if c.InMemory && c.PlainHTTP {
		return fmt.Errorf("apitest: Config.PlainHTTP is for servers with a socket, and InMemory for those without")
	}
	if c.InProcess && (c.PlainHTTP || c.InMemory) {
		return fmt.Errorf("apitest: Config.InProcess is for servers without connections, and PlainHTTP and InMemory for those with some")
	}
	for _, k := range c.Kinds {
		if k.Version == "" || k.Kind == "" {
			return fmt.Errorf("apitest: Config.Kinds has one without a version or a kind: %s", k.GroupVersionKind)
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

func (c *Config) tokens() map[string]User {
	if len(c.Tokens) == 0 {
		return map[string]User{AdminToken: admin}
	}
	return c.Tokens
}
