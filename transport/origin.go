package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// CredentialsAllowed reports whether credentials may be added to req. They may not if req results from a redirect that
// led, at any step, to another origin than that of the first request: http.Client passes a redirected request to the
// same RoundTripper, which would otherwise send the credentials to any host that the server names.
//
// An origin is a scheme, a host and a port. If the chain of redirects is incomplete (a RoundTripper that does not set
// Response.Request), the result is false.
//
// All layers of this package call it; custom layers in Config.WrapTransport should call it too.
func CredentialsAllowed(req *http.Request) bool {
	for r := req; r.Response != nil; {
		r = r.Response.Request
		if r == nil || !sameOrigin(r.URL, req.URL) {
			return false
		}
	}
	return true
}

// keepBodies rejects requests that a redirect would send to another origin together with their bodies: on 307 and 308,
// http.Client repeats the request with its body, which may contain a Secret.
type keepBodies struct{ layer }

func (k *keepBodies) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil || req.Body == http.NoBody || CredentialsAllowed(req) {
		return k.next.RoundTrip(req)
	}
	closeBody(req)
	return nil, fmt.Errorf("redirect of a request with a body to another origin rejected: %s://%s",
		req.URL.Scheme, req.URL.Host)
}

func sameOrigin(a, b *url.URL) bool {
	if a == nil || b == nil {
		return false
	}
	return strings.EqualFold(a.Scheme, b.Scheme) &&
		strings.EqualFold(a.Hostname(), b.Hostname()) &&
		portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	switch strings.ToLower(u.Scheme) {
	case "https":
		return "443"
	case "http":
		return "80"
	}
	return ""
}
