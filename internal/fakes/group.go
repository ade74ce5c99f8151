package fakes

import (
	"sync"

	"vedette.dev/gentype"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
	"vedette.dev/testing"
)

var builtin = sync.OnceValue(func() Codec {
	return Typed{Kinds: KindsOf(scheme.Scheme), Scheme: scheme.Scheme, Decoder: scheme.Codecs.UniversalDeserializer()}
})

// Builtin returns the codec of clients for the built-in kinds.
func Builtin() Codec { return builtin() }

// NewGroup returns a client of one group whose requests are actions of a Fake, without a server: what no reactor handles
// is answered with empty objects.
func NewGroup[C any](fake *testing.Fake, forConfig func(*rest.Config) (*C, error)) *C {
	transport := &Transport{Fake: fake, Codec: Builtin()}
	return gentype.Must(forConfig(&rest.Config{Host: "http://fake", QPS: -1, Transport: transport}))
}
