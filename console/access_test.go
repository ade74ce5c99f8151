//go:build !vedette_noconsole

package console

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhoIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *http.Request)
		code   int
		says   string
	}{
		{"from here", func(*http.Request) {}, 200, "Vedette"},
		{"IPv6", func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:4711", "[::1]:8080" }, 200, ""},
		{"IPv4 in IPv6", func(r *http.Request) { r.RemoteAddr, r.Host = "[::ffff:127.0.0.1]:4711", "127.0.0.2" }, 200, ""},
		{"a name of this machine", func(r *http.Request) { r.Host = "shop.localhost:8080" }, 200, ""},
		{"HEAD", func(r *http.Request) { r.Method = "HEAD" }, 200, ""},
		{"a link on another site", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 200, ""},
		{"from elsewhere", func(r *http.Request) { r.RemoteAddr = "10.0.0.7:4711" }, 403, "Config.Token"},
		{"from elsewhere, IPv6", func(r *http.Request) { r.RemoteAddr = "[fd00::7]:4711" }, 403, "Config.Token"},
		{"from nowhere", func(r *http.Request) { r.RemoteAddr = "@" }, 403, "Config.Token"},
		{"through a proxy", func(r *http.Request) { r.Header.Set("X-Forwarded-For", "10.0.0.7") }, 403, "Config.Token"},
		{"through another proxy", func(r *http.Request) { r.Header.Set("Forwarded", "for=10.0.0.7") }, 403, "Config.Token"},
		{"through a sidecar", func(r *http.Request) { r.RemoteAddr = "127.0.0.6:4711" }, 403, "Config.Token"},
		{"through a sidecar, with its headers", func(r *http.Request) { r.Header.Set("X-Forwarded-Client-Cert", "By=spiffe://x") }, 403, "X-Forwarded-Client-Cert"},
		{"a name that was made to point here", func(r *http.Request) { r.Host = "evil.example:8080" }, 403, "localhost only"},
		{"a name that looks like ours", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403, "localhost only"},
		{"an address of the machine", func(r *http.Request) { r.Host = "10.0.0.1:8080" }, 403, "localhost only"},
		{"no name", func(r *http.Request) { r.Host = "" }, 403, "localhost only"},
		{"a script of another site", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, 403, "other sites"},
		{"a script of another port", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "same-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, 403, "other sites"},
		{"POST", func(r *http.Request) { r.Method = "POST" }, 405, "reading only"},
		{"DELETE", func(r *http.Request) { r.Method = "DELETE" }, 405, "reading only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := Handler(Config{})
			for _, view := range []string{"", "page.js", "objects", "?stream=1"} {
				if c.code == 200 && strings.Contains(view, "stream") {
					continue
				}
				gone, leave := context.WithCancel(t.Context())
				leave() // a stream that is begun all the same ends at once
				r := request(view).WithContext(gone)
				c.change(r)
				answer := httptest.NewRecorder()
				page.ServeHTTP(answer, r)
				if answer.Code != c.code {
					t.Errorf("%q: status %d, want %d", view, answer.Code, c.code)
				}
				if view == "" && !strings.Contains(answer.Body.String(), c.says) {
					t.Errorf("%q: there is no %q in %s", view, c.says, answer.Body)
				}
				if policy := answer.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
					t.Errorf("%q: policy %q", view, policy)
				}
			}
		})
	}
}

const token = "let-me-in-please"

func TestToken(t *testing.T) {
	page := Handler(Config{Token: token})
	ask := func(view string, change func(r *http.Request)) *http.Response {
		r := request(view)
		r.RemoteAddr, r.Host = "10.0.0.7:4711", "shop.example"
		change(r)
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, r)
		return answer.Result()
	}
	for name, change := range map[string]func(r *http.Request){
		"none":          func(*http.Request) {},
		"another":       func(r *http.Request) { r.Header.Set("Authorization", "Bearer let-me-in-pleasf") },
		"a part":        func(r *http.Request) { r.Header.Set("Authorization", "Bearer let-me-in") },
		"another sort":  func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) },
		"as cookie":     func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "vedette_console", Value: token}) },
		"empty cookie":  func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "vedette_console"}) },
		"wrong address": func(r *http.Request) { r.URL.RawQuery = "token=nonsense" },
		"from here":     func(r *http.Request) { r.RemoteAddr, r.Host = "127.0.0.1:4711", "localhost" },
	} {
		if answer := ask("", change); answer.StatusCode != 401 || answer.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d, cookie %q", name, answer.StatusCode, answer.Header.Get("Set-Cookie"))
		}
	}
	if answer := ask("", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }); answer.StatusCode != 200 {
		t.Errorf("with the token: status %d", answer.StatusCode)
	}
	answer := ask("objects?key=a%2Fb&token="+token, func(*http.Request) {})
	if answer.StatusCode != 303 || answer.Header.Get("Location") != "./objects?key=a%2Fb" {
		t.Errorf("with the token in the address: status %d, location %q", answer.StatusCode, answer.Header.Get("Location"))
	}
	cookies := answer.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || strings.Contains(cookies[0].Value, token) || cookies[0].Path != "" {
		t.Fatalf("cookies %v", cookies)
	}
	if answer := ask("objects", func(r *http.Request) { r.AddCookie(cookies[0]) }); answer.StatusCode != 200 {
		t.Errorf("with the cookie: status %d", answer.StatusCode)
	}
	// A cookie is good for the token that it was made of.
	other := Handler(Config{Token: "another-token"})
	r := request("")
	r.AddCookie(cookies[0])
	recorder := httptest.NewRecorder()
	if other.ServeHTTP(recorder, r); recorder.Code != 401 {
		t.Errorf("with the cookie of another token: status %d", recorder.Code)
	}
}

func TestAssets(t *testing.T) {
	page := Handler(Config{})
	for name := range assets() {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, request(name))
		if answer.Code != 200 || answer.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", name, answer.Code, answer.Body.Len())
		}
		r := request(name)
		r.Header.Set("If-None-Match", answer.Header().Get("Etag"))
		again := httptest.NewRecorder()
		if page.ServeHTTP(again, r); again.Code != 304 {
			t.Errorf("%s again: status %d", name, again.Code)
		}
	}
	want(t, page, "uplot.LICENSE", "The MIT License", "Leon Sorokin")
}

// The page works wherever it is mounted.
func TestMounted(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/debug/vedette/", Handler(Config{}))
	mux.Handle("/other/", http.StripPrefix("/other", Handler(Config{Title: "other"})))
	for path, code := range map[string]int{
		"/debug/vedette": 301, "/debug/vedette/": 200, "/debug/vedette/charts": 200, "/debug/vedette/page.css": 200,
		"/debug/vedette/nonsense": 404, "/other/": 200, "/other/queues": 200,
	} {
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		r.RemoteAddr = "127.0.0.1:1"
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r)
		if answer.Code != code && !(code == 301 && answer.Code == 307) {
			t.Errorf("%s: status %d, want %d", path, answer.Code, code)
		}
	}
}
