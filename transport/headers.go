package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// The headers that say who a request is made for. The API server defines them.
const (
	ImpersonateUserHeader            = "Impersonate-User"
	ImpersonateUIDHeader             = "Impersonate-Uid"
	ImpersonateGroupHeader           = "Impersonate-Group"
	ImpersonateUserExtraHeaderPrefix = "Impersonate-Extra-"
)

// The headers in which a proxy that authenticates users tells the API server who they are.
const (
	remoteUserHeader        = "X-Remote-User"
	remoteUIDHeader         = "X-Remote-Uid"
	remoteGroupHeader       = "X-Remote-Group"
	remoteExtraHeaderPrefix = "X-Remote-Extra-"
)

// NewUserAgentRoundTripper names the client in requests that do not.
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

// NewImpersonatingRoundTripper asks the server to treat requests as those of another user. A request that names a user
// itself is left alone.
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

// NewAuthProxyRoundTripper tells an API server that trusts us who the user of a request is. The keys of extra should be
// lower case, as the server reads them so.
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

// SetAuthProxyHeaders puts the user into the headers of req, in place of any that is there.
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

// isRemoteHeader goes by the name whatever its case: a header map that was not filled through Set may hold any.
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

// escapeHeaderKey writes the bytes that a header name may not have as %XX. The server undoes it, and so the percent sign
// is written that way too.
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

// isTokenByte follows "token" in RFC 9110, section 5.6.2.
func isTokenByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
