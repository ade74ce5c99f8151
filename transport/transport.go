package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"weak"

	"vedette.dev/internal/weakmap"
)

// New returns a RoundTripper that does what config asks for. Those made from configs that are equal below HTTP (the same
// certificates, holders, compression, and no Proxy function) share connections.
func New(config *Config) (http.RoundTripper, error) {
	if config == nil {
		return nil, errors.New("transport: New needs a Config; an empty one will do")
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

// bases finds the base of configs that were seen before, so that a program which makes a client a minute, or a client a
// tenant, does not open connections for each.
//
// It is the one variable of this package that changes, which the project otherwise does without, because clients that
// know nothing of one another are what it has to bring together: they come from different libraries in one program, and
// nobody could hand a cache to all. It holds weakly, so that nothing in it outlives the clients, and holds hashes in
// place of secrets.
var bases weakmap.Map[baseKey, base]

// baseKey is equal for sources that make the same connections.
type baseKey struct {
	sum [sha256.Size]byte
	// Weak, as the functions inside may well lead to a client, and with it to the base.
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
