package execauth

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/internal/weakmap"
	"vedette.dev/transport"
)

// sameAgain is how long a rejected credential is used on when the plugin, asked for another, returned the same. Without
// it every request of a client whose user is not allowed in would start a process.
const sameAgain = 5 * time.Second

// Authenticator gets credentials from a plugin, keeps them while they are good, and puts them into requests.
type Authenticator struct {
	plugin *plugin
	// holder is how transports ask for the client certificate. It is what makes equal authenticators share connections.
	holder *transport.GetCertHolder

	mu      sync.Mutex
	current *credentials // nil before the plugin ran
	// rejected says that the server did not take current.
	rejected bool
	// kept is when the plugin returned a rejected credential again.
	kept time.Time
	// flight is the run of the plugin that is under way, nil when there is none.
	flight *flight
	// flights is how many runs have begun, and stored the number of the run that current is from.
	//
	// Invariant: stored never decreases.
	flights, stored uint64
}

// authenticators finds the authenticator of an ExecConfig that was seen before: a plugin may ask a person for a
// password, and must not do so once for each client of a program. Like the cache of package transport it brings together
// clients that know nothing of one another, holds weakly, and keeps hashes in place of secrets.
var authenticators weakmap.Map[[sha256.Size]byte, Authenticator]

// New returns an Authenticator for a plugin, the same one for equal arguments. cluster is what the plugin is told with
// ProvideClusterInfo, and may be nil without it. The plugin is not run before the first request.
func New(exec *clientcmdapi.ExecConfig, cluster *Cluster) (*Authenticator, error) {
	if exec == nil {
		return nil, errors.New("execauth: New needs an ExecConfig")
	}
	if !exec.ProvideClusterInfo {
		cluster = nil // so that the same user is one in all clusters
	}
	a, err := newAuthenticator(exec, cluster, realSurroundings())
	if err != nil {
		return nil, err
	}
	key, err := keyOf(exec, cluster)
	if err != nil {
		return nil, err
	}
	return authenticators.LoadOrStore(key, a), nil
}

func newAuthenticator(exec *clientcmdapi.ExecConfig, cluster *Cluster, s surroundings) (*Authenticator, error) {
	p, err := newPlugin(exec, cluster, s)
	if err != nil {
		return nil, err
	}
	a := &Authenticator{plugin: p}
	a.holder = &transport.GetCertHolder{GetCert: a.certificate}
	return a, nil
}

func keyOf(exec *clientcmdapi.ExecConfig, cluster *Cluster) ([sha256.Size]byte, error) {
	info, err := json.Marshal(cluster)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("exec plugin %q: encoding the cluster: %w", exec.Command, err)
	}
	// Field by field and in plain strings, because these types hide their secrets when they are printed.
	text := fmt.Appendf(nil, "%q %q %q %q %q %t %t %q %q %s", exec.Command, exec.Args, exec.APIVersion, exec.InstallHint,
		exec.InteractiveMode, exec.ProvideClusterInfo, exec.StdinUnavailable, exec.StdinUnavailableMessage,
		exec.PluginPolicy.PolicyType, info)
	for _, e := range exec.Env {
		text = fmt.Appendf(text, " env %q %q", e.Name, e.Value)
	}
	for _, e := range exec.PluginPolicy.Allowlist {
		text = fmt.Appendf(text, " allow %q", e.Command)
	}
	return sha256.Sum256(text), nil
}

// UpdateTransportConfig makes the transport use the plugin's credentials. A config that has a token, a password or a
// client certificate already is left alone: those were chosen by hand, and the plugin is not run.
func (a *Authenticator) UpdateTransportConfig(c *transport.Config) error {
	if c.HasTokenAuth() || c.HasBasicAuth() || c.HasCertAuth() {
		return nil
	}
	if c.Transport != nil {
		return errors.New("execauth: a custom Transport and an exec plugin cannot be used together, because the plugin may " +
			"return a client certificate: leave Transport out, or get a token in another way")
	}
	if c.HasCertCallback() {
		return errors.New("execauth: transport.Config.TLS.GetCertHolder is set already, and an exec plugin needs it: " +
			"use either of them")
	}
	c.TLS.GetCertHolder = a.holder
	c.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &roundTripper{auth: a, next: rt} })
	return nil
}

// certificate is called in TLS handshakes. The request that needs the connection has asked for credentials just before,
// so there are some, unless it brought a header of its own; whether they are still good is for the requests to see to.
func (a *Authenticator) certificate() (*tls.Certificate, error) {
	a.mu.Lock()
	c := a.current
	a.mu.Unlock()
	if c == nil {
		var err error
		if c, err = a.credentials(context.Background()); err != nil {
			return nil, err
		}
	}
	return c.cert, nil
}

// reject is called when the server did not take c.
func (a *Authenticator) reject(c *credentials) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current == nil || a.current.sum != c.sum {
		return // there are others already
	}
	if a.kept.IsZero() || time.Since(a.kept) >= sameAgain {
		a.rejected = true
	}
}

// store takes what the plugin returned.
func (a *Authenticator) store(c *credentials) {
	old := a.current
	a.kept = time.Time{}
	if old != nil && old.sum == c.sum && a.rejected {
		a.kept = time.Now()
	}
	a.current, a.rejected = c, false
	if old != nil && old.certSum != c.certSum {
		a.holder.Rotated()
	}
}
