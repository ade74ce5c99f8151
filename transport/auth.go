package transport

import (
	"net/http"

	"vedette.dev/fence"
)

// HTTPWrappersForConfig wraps rt with the layers that config asks for: first a fence.Transport, then WrapTransport,
// authentication, the user agent, impersonation, and finally the layer that keeps the bodies of requests from following
// a redirect to another origin. It is for callers with a RoundTripper of their own; others use [New].
func HTTPWrappersForConfig(config *Config, rt http.RoundTripper) (http.RoundTripper, error) {
	if err := config.validateAuth(); err != nil {
		return nil, err
	}
	rt = fence.Transport(rt)
	if config.WrapTransport != nil {
		rt = config.WrapTransport(rt)
	}
	switch {
	case config.HasTokenAuth():
		bearer, err := NewBearerAuthWithRefreshRoundTripper(config.BearerToken, config.BearerTokenFile, rt)
		if err != nil {
			return nil, err
		}
		rt = bearer
	case config.HasBasicAuth():
		rt = NewBasicAuthRoundTripper(config.Username, config.Password, rt)
	}
	if config.UserAgent != "" {
		rt = NewUserAgentRoundTripper(config.UserAgent, rt)
	}
	if config.Impersonate.isSet() {
		rt = NewImpersonatingRoundTripper(config.Impersonate, rt)
	}
	return &keepBodies{layer{rt}}, nil
}

// mayAuthorize reports whether a layer should add an Authorization header: not if the caller has set one, and not to a
// request that was redirected to another origin.
func mayAuthorize(req *http.Request) bool {
	return req.Header.Get("Authorization") == "" && CredentialsAllowed(req)
}

// NewBasicAuthRoundTripper returns a RoundTripper that adds basic authentication to requests without an Authorization
// header.
func NewBasicAuthRoundTripper(username, password string, rt http.RoundTripper) http.RoundTripper {
	return &basicAuth{layer: layer{rt}, username: username, password: password}
}

type basicAuth struct {
	layer
	username string
	password string `datapolicy:"password"`
}

func (b *basicAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	if mayAuthorize(req) {
		req = clone(req)
		req.SetBasicAuth(b.username, b.password)
	}
	return b.next.RoundTrip(req)
}

// NewBearerAuthRoundTripper returns a RoundTripper that adds a bearer token to requests without an Authorization
// header.
func NewBearerAuthRoundTripper(bearer string, rt http.RoundTripper) http.RoundTripper {
	return &bearerAuth{layer: layer{rt}, token: fixedToken(bearer)}
}

// NewBearerAuthWithRefreshRoundTripper returns a RoundTripper that adds a bearer token to requests without an
// Authorization header. With a tokenFile, the token is read from the file: about once a minute, and again for the
// request that follows a 401. While the file cannot be read the last token is used, at first bearer; without bearer, an
// unreadable file is an error here.
func NewBearerAuthWithRefreshRoundTripper(bearer string, tokenFile string, rt http.RoundTripper) (http.RoundTripper, error) {
	if tokenFile == "" {
		return NewBearerAuthRoundTripper(bearer, rt), nil
	}
	file := &fileToken{path: tokenFile, token: bearer}
	if bearer == "" {
		if err := file.refresh(); err != nil {
			return nil, err
		}
	}
	return &bearerAuth{layer: layer{rt}, token: file}, nil
}

// A tokenSource returns the current token.
type tokenSource interface {
	current() string
	// rejected is called when the server has rejected a token.
	rejected(token string)
}

type fixedToken string

func (t fixedToken) current() string { return string(t) }
func (t fixedToken) rejected(string) {}

type bearerAuth struct {
	layer
	token tokenSource
}

func (b *bearerAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	if !mayAuthorize(req) {
		return b.next.RoundTrip(req)
	}
	token := b.token.current()
	req = clone(req)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := b.next.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		b.token.rejected(token)
	}
	return resp, err
}
