// Package httpguard controls access to pages and endpoints that show the internals of a program: package console and
// the /debug/ endpoints of package runner use it.
//
// Without a token, only a direct connection from this machine is allowed: see [Local]. With one, every client that
// presents it is allowed: as "Authorization: Bearer ...", or once as "?token=...", which sets a cookie.
//
// # The cookie
//
// Browsers send a cookie to every port of its host, and no attribute of a cookie changes that: "__Host-" and "__Secure-" bind it
// to a host and to TLS, not to a port. A server on another port of the same host therefore receives the cookie if it makes the
// browser ask it for the path of the page. What limits the damage:
//
//   - The cookie has the path of the page, is for reading only, and expires after 12 hours. It does not contain the
//     token.
//   - Its name contains the port, so that two pages on one host do not replace each other's.
//   - A separate host name, such as vedette.localhost, protects it from the other ports of localhost.
//
// # Guesses
//
// Wrong tokens are limited to a burst of ten and one per second, for all clients together. While the limit is reached,
// all tokens are rejected with status 429, valid ones too, since the response would reveal them otherwise; cookies are
// not affected.
package httpguard

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Config configures a Guard.
type Config struct {
	// Name is the name of what is guarded, as in "the console".
	Name string
	// Otherwise is a hint how to get access; it is the end of the error message.
	Otherwise string
	// Token is the token that a client has to present. Empty means that only this machine has access.
	Token string
	// Cookie is the prefix of the cookie's name.
	Cookie string
}

// Guard decides who may read. It is safe for concurrent use.
type Guard struct {
	config Config
	// token is a hash of the token, nil without one.
	token []byte

	mu      sync.Mutex
	guesses *rate.Limiter // of wrong tokens
}

const (
	// cookieLife is how long a cookie is good for.
	cookieLife = 12 * time.Hour
	// guessBurst is how many wrong tokens may come at once. One a second may follow.
	guessBurst = 10
	guessEvery = time.Second
)

// New returns a Guard.
func New(config Config) *Guard {
	g := &Guard{config: config, guesses: rate.NewLimiter(rate.Every(guessEvery), guessBurst)}
	if config.Token != "" {
		sum := sha256.Sum256([]byte(config.Token))
		g.token = sum[:]
	}
	return g
}

// Handler serves next to authorized clients, with the headers of Protect.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Protect(w.Header())
		if g.Admit(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// Admit reports whether a request may go on. If not, it has been answered.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, g.config.Name+" is for reading only", http.StatusMethodNotAllowed)
		return false
	}
	if embedded(r) {
		http.Error(w, g.config.Name+" does not answer the scripts and frames of other sites", http.StatusForbidden)
		return false
	}
	if g.token != nil {
		return g.admitToken(w, r)
	}
	if err := Local(r); err != nil {
		http.Error(w, fmt.Sprintf("%s %v, %s", g.config.Name, err, g.config.Otherwise), http.StatusForbidden)
		return false
	}
	return true
}

// embedded reports whether a script or a frame of another origin asks. Other sites may link here, but not embed anything. Another
// port of this host is another origin, although browsers call it the same site.
func embedded(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

func (g *Guard) admitToken(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	asked := query.Get("token")
	if cookie, err := r.Cookie(g.cookieName(r.Host)); err == nil && asked == "" && g.isCookie(cookie.Value) {
		return true
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	right, limited := g.isToken(bearer)
	if right {
		return true
	}
	if !limited {
		right, limited = g.isToken(asked)
	}
	switch {
	case limited:
		w.Header().Set("Retry-After", strconv.Itoa(int(guessEvery/time.Second)))
		http.Error(w, "too many wrong tokens: try again later", http.StatusTooManyRequests)
	case right:
		g.setCookie(w, r)
		// The token does not stay in the address, nor in the history of the browser.
		query.Del("token")
		w.Header().Set("Location", relative(r.URL.Path, query.Encode()))
		w.WriteHeader(http.StatusSeeOther)
	default:
		w.Header().Set("WWW-Authenticate", `Bearer realm="vedette"`)
		http.Error(w, g.config.Name+" asks for its token: as \"Authorization: Bearer ...\", or once as ?token=...", http.StatusUnauthorized)
	}
	return false
}

// isToken reports whether given is the token, or whether the limit of wrong ones is reached. The empty token is wrong,
// but does not count.
func (g *Guard) isToken(given string) (right, limited bool) {
	if given == "" {
		return false, false
	}
	g.mu.Lock() // so that no more guesses than allowed are compared at the same time
	defer g.mu.Unlock()
	if g.guesses.Tokens() < 1 {
		return false, true
	}
	sum := sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(sum[:], g.token) == 1 {
		return true, false
	}
	g.guesses.Allow()
	return false, false
}

// cookieName is the name of the cookie of a page at an address: that of the Host header, which the browser goes by.
func (g *Guard) cookieName(host string) string {
	if _, port, err := net.SplitHostPort(host); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			return fmt.Sprintf("%s_%d", g.config.Cookie, n)
		}
	}
	return g.config.Cookie
}

func (g *Guard) setCookie(w http.ResponseWriter, r *http.Request) {
	expires := strconv.FormatInt(time.Now().Add(cookieLife).Unix(), 10)
	// Without a path it is for the folder of the page, whatever that is called outside.
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(r.Host), Value: expires + "." + g.sign(expires), MaxAge: int(cookieLife / time.Second),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
	})
}

func (g *Guard) isCookie(value string) bool {
	expires, signature, _ := strings.Cut(value, ".")
	if subtle.ConstantTimeCompare([]byte(signature), []byte(g.sign(expires))) != 1 {
		return false
	}
	at, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && time.Now().Before(time.Unix(at, 0))
}

// sign returns the signature of a cookie, made with the token.
func (g *Guard) sign(expires string) string {
	mac := hmac.New(sha256.New, []byte(g.config.Token))
	mac.Write([]byte("vedette console cookie " + expires))
	return hex.EncodeToString(mac.Sum(nil))
}

// relative is the address of a view as seen from the same view: the page does not know where it is mounted.
func relative(path, query string) string {
	to := "./" + path[strings.LastIndexByte(path, '/')+1:]
	if query != "" {
		to += "?" + query
	}
	return to
}

// Protect sets the headers that keep a browser from doing more than it should.
func Protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
