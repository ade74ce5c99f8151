//go:build !vedette_noconsole

package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// cookieName is that of the cookie by which a browser that has presented the token is known.
const cookieName = "vedette_console"

// guard decides who may look.
type guard struct {
	// token and cookie are hashes of what is to be presented. Both are empty if no token is asked for.
	token  []byte
	cookie string
}

func newGuard(token string) guard {
	if token == "" {
		return guard{}
	}
	sum := sha256.Sum256([]byte(token))
	// The cookie is made of the token, so that it holds for as long as the token does, and does not tell it.
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("vedette console cookie"))
	return guard{token: sum[:], cookie: hex.EncodeToString(mac.Sum(nil))}
}

// admit tells whether a request may go on. If not, it has been answered.
func (g guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the console is for reading only", http.StatusMethodNotAllowed)
		return false
	}
	// Other sites may link here, but must not embed anything of it.
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		http.Error(w, "the console does not answer the scripts and frames of other sites", http.StatusForbidden)
		return false
	}
	if g.token != nil {
		return g.admitToken(w, r)
	}
	if !fromLoopback(r) {
		http.Error(w, "the console answers requests from its own machine only, unless it is given a token: set console.Config.Token", http.StatusForbidden)
		return false
	}
	if !loopbackHost(r.Host) {
		// A page of another site whose name was made to point here would come with that name.
		http.Error(w, "the console answers at localhost only, unless it is given a token: set console.Config.Token", http.StatusForbidden)
		return false
	}
	return true
}

func (g guard) admitToken(w http.ResponseWriter, r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && g.isToken(bearer) {
		return true
	}
	if cookie, err := r.Cookie(cookieName); err == nil && r.URL.Query().Get("token") == "" &&
		subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(g.cookie)) == 1 {
		return true
	}
	query := r.URL.Query()
	if given := query.Get("token"); given != "" && g.isToken(given) {
		// Without a path it is for the folder of the page, whatever that is called outside.
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: g.cookie, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
		})
		// The token does not stay in the address, nor in the history of the browser.
		query.Del("token")
		w.Header().Set("Location", relative(r.URL.Path, query.Encode()))
		w.WriteHeader(http.StatusSeeOther)
		return false
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="vedette console"`)
	http.Error(w, "the console asks for its token: as \"Authorization: Bearer ...\", or once as ?token=...", http.StatusUnauthorized)
	return false
}

func (g guard) isToken(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.token) == 1
}

// relative is the address of a view as seen from the same view: the page does not know where it is mounted.
func relative(path, query string) string {
	to := "./" + path[strings.LastIndexByte(path, '/')+1:]
	if query != "" {
		to += "?" + query
	}
	return to
}

// fromLoopback tells whether a request was made on this machine, and not passed on by a proxy from elsewhere.
func fromLoopback(r *http.Request) bool {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !address.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	return true
}

func loopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// protect sets the headers that keep a browser from doing more than it should.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
