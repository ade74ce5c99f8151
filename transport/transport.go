package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"weak"

	"vedette.dev/internal/weakmap"
)

// New returns a RoundTripper for config. RoundTrippers for configs that are equal below HTTP (the same certificates,
// holders, compression, and no Proxy function) share connections.
func New(config *Config) (http.RoundTripper, error) {
	if config == nil {
		return nil, errors.New("transport: Config is nil")
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	rt := config.Transport
	if rt == nil {
		shared, err := sharedBase(newSource(config))
		if err != nil {
			return nil, err
		}
		rt = shared
	}
	return HTTPWrappersForConfig(config, rt)
}

// bases finds the base of configs that were seen before, so that a program that creates a client every minute, or a
// client for every tenant, does not open connections for each.
//
// It is the only global variable of this package, because the clients that it has to bring together come from different
// libraries in one program, which cannot be handed a common cache. It holds weak pointers, so that nothing in it
// outlives the clients, and hashes in place of secrets.
var bases weakmap.Map[baseKey, base]

// baseKey is equal for sources that make the same connections.
type baseKey struct {
	sum [sha256.Size]byte
	// Weak, as the functions inside may reference a client, and with it the base.
	dial    weak.Pointer[DialHolder]
	getCert weak.Pointer[GetCertHolder]
}

func sharedBase(s source) (*base, error) {
	if s.proxy != nil { // functions cannot be compared
		return newBase(s)
	}
	key := s.key()
	if b := bases.Get(key); b != nil {
		return b, nil
	}
	b, err := newBase(s)
	if err != nil {
		return nil, err
	}
	return bases.LoadOrStore(key, b), nil
}

func (s *source) key() baseKey {
	h := sha256.New()
	fmt.Fprintf(h, "%t %t %q %q\n", s.disableCompression, s.tls.insecure, s.tls.serverName, s.tls.nextProtos)
	for _, p := range []pemSource{s.tls.ca, s.tls.cert, s.tls.key} {
		fmt.Fprintf(h, "%q %x\n", p.file, p.data)
	}
	return baseKey{sum: [sha256.Size]byte(h.Sum(nil)), dial: weak.Make(s.dial), getCert: weak.Make(s.tls.getCert)}
}
