package execauth

import (
	"fmt"
	"net/http"

	"vedette.dev/transport"
)

// roundTripper puts the token of the plugin into requests, and tells the Authenticator when the server did not take it.
type roundTripper struct {
	auth *Authenticator
	next http.RoundTripper
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" || !transport.CredentialsAllowed(req) {
		return r.next.RoundTrip(req)
	}
	creds, err := r.auth.credentials(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("getting credentials: %w", err)
	}
	if creds.token != "" {
		authorized := req.WithContext(req.Context())
		authorized.Header = req.Header.Clone()
		if authorized.Header == nil {
			authorized.Header = http.Header{}
		}
		authorized.Header.Set("Authorization", "Bearer "+creds.token)
		req = authorized
	}
	resp, err := r.next.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		r.auth.reject(creds)
	}
	return resp, err
}

// WrappedRoundTripper returns the round tripper inside.
func (r *roundTripper) WrappedRoundTripper() http.RoundTripper { return r.next }

// CloseIdleConnections is what http.Client calls.
func (r *roundTripper) CloseIdleConnections() {
	if c, ok := r.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
