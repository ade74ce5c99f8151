package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// Headers for impersonation, defined by the API server.
const (
	ImpersonateUserHeader            = "Impersonate-User"
	ImpersonateUIDHeader             = "Impersonate-Uid"
	ImpersonateGroupHeader           = "Impersonate-Group"
	ImpersonateUserExtraHeaderPrefix = "Impersonate-Extra-"
)

// Headers in which an authenticating proxy passes the user to the API server.
const (
	remoteUserHeader        = "X-Remote-User"
	remoteUIDHeader         = "X-Remote-Uid"
	remoteGroupHeader       = "X-Remote-Group"
	remoteExtraHeaderPrefix = "X-Remote-Extra-"
)

// NewUserAgentRoundTripper returns a RoundTripper that adds a user agent to requests without one.
func NewUserAgentRoundTripper(agent string, rt http.RoundTripper) http.RoundTripper {
	return &userAgent{layer: layer{rt}, agent: agent}
}

type userAgent struct {
	layer
	agent string
}

func (u *userAgent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("User-Agent") == "" {
		req = clone(req)
		req.Header.Set("User-Agent", u.agent)
	}
	return u.next.RoundTrip(req)
}

// NewImpersonatingRoundTripper returns a RoundTripper that adds impersonation headers. A request that already has them
// is not changed.
func NewImpersonatingRoundTripper(impersonate ImpersonationConfig, delegate http.RoundTripper) http.RoundTripper {
	return &impersonation{layer: layer{delegate}, who: impersonate}
}

type impersonation struct {
	layer
	who ImpersonationConfig
}

func (i *impersonation) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get(ImpersonateUserHeader) != "" || !CredentialsAllowed(req) {
		return i.next.RoundTrip(req)
	}
	req = clone(req)
	req.Header.Set(ImpersonateUserHeader, i.who.UserName)
	if i.who.UID != "" {
		req.Header.Set(ImpersonateUIDHeader, i.who.UID)
	}
	for _, group := range i.who.Groups {
		req.Header.Add(ImpersonateGroupHeader, group)
	}
	addExtra(req.Header, ImpersonateUserExtraHeaderPrefix, i.who.Extra)
	return i.next.RoundTrip(req)
}

// NewAuthProxyRoundTripper returns a RoundTripper that passes the user of a request to an API server that trusts this
// proxy. The keys of extra should be lower case, as the server lower-cases them.
func NewAuthProxyRoundTripper(username, uid string, groups []string, extra map[string][]string, rt http.RoundTripper) http.RoundTripper {
	return &authProxy{layer: layer{rt}, username: username, uid: uid, groups: groups, extra: extra}
}

type authProxy struct {
	layer
	username, uid string
	groups        []string
	extra         map[string][]string
}

func (a *authProxy) RoundTrip(req *http.Request) (*http.Response, error) {
	if CredentialsAllowed(req) {
		req = clone(req)
		SetAuthProxyHeaders(req, a.username, a.uid, a.groups, a.extra)
	}
	return a.next.RoundTrip(req)
}

// SetAuthProxyHeaders sets the user in the headers of req, and replaces existing ones.
func SetAuthProxyHeaders(req *http.Request, username, uid string, groups []string, extra map[string][]string) {
	for key := range req.Header {
		if isRemoteHeader(key) {
			delete(req.Header, key)
		}
	}
	req.Header.Set(remoteUserHeader, username)
	if uid != "" {
		req.Header.Set(remoteUIDHeader, uid)
	}
	for _, group := range groups {
		req.Header.Add(remoteGroupHeader, group)
	}
	addExtra(req.Header, remoteExtraHeaderPrefix, extra)
}

// isRemoteHeader ignores case: a header map that was not filled with Set may have any.
func isRemoteHeader(key string) bool {
	switch key = http.CanonicalHeaderKey(key); key {
	case remoteUserHeader, remoteUIDHeader, remoteGroupHeader:
		return true
	default:
		return strings.HasPrefix(strings.ToLower(key), strings.ToLower(remoteExtraHeaderPrefix))
	}
}

func addExtra(h http.Header, prefix string, extra map[string][]string) {
	for key, values := range extra {
		for _, value := range values {
			h.Add(prefix+escapeHeaderKey(key), value)
		}
	}
}

// escapeHeaderKey escapes bytes that are not allowed in header names as %XX. The server decodes it, so the percent sign
// is escaped too.
func escapeHeaderKey(key string) string {
	var b strings.Builder
	for i := range len(key) {
		if c := key[i]; isTokenByte(c) && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// isTokenByte implements "token" of RFC 9110, section 5.6.2.
func isTokenByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
