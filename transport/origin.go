package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// CredentialsAllowed says whether credentials may be added to req. They may not when req comes from a redirect that led,
// at any step, to another origin than the one the first request was for: http.Client hands a redirected request to the
// same RoundTripper, which would otherwise give the credentials to whomever the server names.
//
// An origin is a scheme, a host and a port. A chain of redirects of which a link is missing (a RoundTripper that does
// not set Response.Request) is taken for one that left the origin.
//
// All layers of this package ask this; those who write their own in Config.WrapTransport should ask it too.
func CredentialsAllowed(req *http.Request) bool {
	for r := req; r.Response != nil; {
		r = r.Response.Request
		if r == nil || !sameOrigin(r.URL, req.URL) {
			return false
		}
	}
	return true
}

// keepBodies refuses requests that a redirect would send to another origin together with their bodies: on 307 and 308,
// http.Client repeats the request with its body, which may hold the data of a Secret.
type keepBodies struct{ layer }

func (k *keepBodies) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil || req.Body == http.NoBody || CredentialsAllowed(req) {
		return k.next.RoundTrip(req)
	}
	closeBody(req)
	return nil, fmt.Errorf("redirect to another origin refused: the request has a body, and %s://%s is not the server that it is for",
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
