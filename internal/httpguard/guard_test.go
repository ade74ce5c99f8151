package httpguard

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// request is one of a browser on this machine.
func request(view string) *http.Request {
	r := httptest.NewRequest("GET", "http://localhost:8080/debug/"+view, nil)
	r.RemoteAddr = "127.0.0.1:4711"
	for name, value := range map[string]string{
		"Accept": "*/*", "Accept-Encoding": "gzip", "Accept-Language": "en", "Cache-Control": "no-cache", "Connection": "keep-alive", "Cookie": "a=b",
		"Dnt": "1", "If-None-Match": "x", "Last-Event-Id": "1", "Pragma": "no-cache", "Priority": "u=0", "Referer": "http://localhost:8080/",
		"Sec-Ch-Ua": "x", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none", "Sec-Gpc": "1", "Te": "trailers",
		"Upgrade-Insecure-Requests": "1", "User-Agent": "Mozilla/5.0", "Authorization": "Basic x", "Purpose": "prefetch",
	} {
		r.Header.Set(name, value)
	}
	return r
}

func TestLocal(t *testing.T) {
	local := func(address string) func(r *http.Request) *http.Request {
		return func(r *http.Request) *http.Request {
			to, err := net.ResolveTCPAddr("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(to)))
		}
	}
	from := func(address string) func(r *http.Request) *http.Request {
		return func(r *http.Request) *http.Request { r.RemoteAddr = address; return r }
	}
	host := func(name string) func(r *http.Request) *http.Request {
		return func(r *http.Request) *http.Request { r.Host = name; return r }
	}
	for _, test := range []struct {
		name   string
		change func(r *http.Request) *http.Request
		want   string // empty if the request is served
	}{
		{"a browser", host("localhost:8080"), ""},
		{"IPv6", from("[::1]:4711"), ""},
		{"IPv4 in IPv6", from("[::ffff:127.0.0.1]:4711"), ""},
		{"to a loopback address", local("127.0.0.1:8080"), ""},
		{"to another loopback address", local("127.0.0.5:8080"), ""},
		{"to IPv6", local("[::1]:8080"), ""},
		{"a host of this machine", host("shop.localhost"), ""},
		{"an address as host", host("127.0.0.2:8080"), ""},

		{"another address of 127.0.0.0/8", from("127.0.0.6:4711"), "own machine only"},
		{"the same in IPv6", from("[::ffff:127.0.0.6]:4711"), "own machine only"},
		{"another machine", from("10.0.0.7:4711"), "own machine only"},
		{"another machine, IPv6", from("[fd00::7]:4711"), "own machine only"},
		{"no address", from("@"), "own machine only"},
		{"to the address of a pod", local("10.0.0.1:8080"), "own machine only"},
		{"HTTP/1.0", func(r *http.Request) *http.Request { r.Proto, r.ProtoMinor = "HTTP/1.0", 0; return r }, "HTTP/1.0 is of a proxy"},
		{"DNS rebinding", host("evil.example:8080"), "localhost only"},
		{"DNS rebinding with a name that looks like an address", host("127.0.0.1.nip.io:8080"), "localhost only"},
		{"no host", host(""), "localhost only"},
		{"the unspecified address", host("0.0.0.0:8080"), "localhost only"},
	} {
		err := Local(test.change(request("")))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestLocalRefusesWhatAProxyPassesOn(t *testing.T) {
	for _, header := range []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Client-Cert", "X-Forwarded-User",
		"X_Forwarded_For", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "X-Original-Uri", "X-Rewrite-Url",
		"X-Request-Id", "X-B3-Traceid", "B3", "Traceparent", "X-Envoy-External-Address", "X-Envoy-Expected-Rq-Timeout-Ms", "X-Amzn-Trace-Id",
		"X-Cloud-Trace-Context", "X-Remote-User", "X-Auth-Request-User", "Cf-Connecting-Ip", "Cf-Ray", "Cdn-Loop", "True-Client-Ip", "Client-Ip",
		"Fastly-Client-Ip", "Fly-Client-Ip", "Akamai-Origin-Hop", "L5d-Client-Id", "Via", "Proxy-Authorization", "Wl-Proxy-Client-Ip",
		"Incap-Client-Ip", "Do-Connecting-Ip", "Ali-Cdn-Real-Ip", "Ssl-Client-Verify", "Max-Forwards",
	} {
		r := request("")
		r.Header[header] = []string{""} // also without a value
		if err := Local(r); err == nil || !strings.Contains(err.Error(), header) {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// A real server says where a connection ended, and a real client sends nothing that is taken for a proxy's.
func TestHandler(t *testing.T) {
	guard := New(Config{Name: "the page", Otherwise: "unless you ask nicely"})
	handler := guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	server := httptest.NewServer(handler)
	defer server.Close()
	get := func(change func(r *http.Request)) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, strings.TrimSpace(string(text)), answer.Header
	}
	if code, text, header := get(func(*http.Request) {}); code != 200 || text != "served" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("from here: %d %q %v", code, text, header)
	}
	if code, text, header := get(func(r *http.Request) { r.Host = "evil.example" }); code != 403 ||
		text != "the page answers at localhost only, unless you ask nicely" || header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("for another host: %d %q %v", code, text, header)
	}
}

const token = "let-me-in-please"

// ask asks a guard with a token from elsewhere.
func ask(g *Guard, host, view string, change func(r *http.Request)) *http.Response {
	r := httptest.NewRequest("GET", "http://"+host+"/debug/"+view, nil)
	r.RemoteAddr = "10.0.0.7:4711"
	change(r)
	answer := httptest.NewRecorder()
	g.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(answer, r)
	return answer.Result()
}

func TestCookie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Config{Name: "the page", Token: token, Cookie: "page"})
		names := map[string]string{}
		for host, want := range map[string]string{"localhost:8081": "page_8081", "localhost:8082": "page_8082", "shop.example": "page", "[::1]:8081": "page_8081", "localhost:x;y": "page"} {
			answer := ask(g, "localhost", "?token="+token, func(r *http.Request) { r.Host = host })
			cookies := answer.Cookies()
			if answer.StatusCode != 303 || len(cookies) != 1 {
				t.Fatalf("%s: status %d, cookies %v", host, answer.StatusCode, cookies)
			}
			c := cookies[0]
			if c.Name != want || c.Path != "" || c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 12*3600 || strings.Contains(c.Value, token) {
				t.Errorf("%s: cookie %+v", host, c)
			}
			names[host] = c.Value
		}
		with := func(name, value string) func(r *http.Request) {
			return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
		}
		good := names["localhost:8081"]
		expires, signature, _ := strings.Cut(good, ".")
		for name, test := range map[string]struct {
			change func(r *http.Request)
			code   int
		}{
			"the cookie":              {with("page_8081", good), 200},
			"that of another port":    {with("page_8082", names["localhost:8082"]), 401},
			"a later end":             {with("page_8081", "9"+expires+"."+signature), 401},
			"no signature":            {with("page_8081", expires), 401},
			"the token":               {with("page_8081", token), 401},
			"nothing":                 {with("page_8081", ""), 401},
			"the cookie and a guess":  {func(r *http.Request) { with("page_8081", good)(r); r.URL.RawQuery = "token=nonsense" }, 401},
			"the cookie and a bearer": {func(r *http.Request) { with("page_8081", good)(r); r.Header.Set("Authorization", "Bearer x") }, 200},
		} {
			if answer := ask(g, "localhost:8081", "", test.change); answer.StatusCode != test.code {
				t.Errorf("%s: status %d, want %d", name, answer.StatusCode, test.code)
			}
		}
		other := New(Config{Name: "the page", Token: "another-token", Cookie: "page"})
		if answer := ask(other, "localhost:8081", "", with("page_8081", good)); answer.StatusCode != 401 {
			t.Errorf("with the cookie of another token: status %d", answer.StatusCode)
		}
		time.Sleep(12*time.Hour - time.Second)
		if answer := ask(g, "localhost:8081", "", with("page_8081", good)); answer.StatusCode != 200 {
			t.Errorf("before it expires: status %d", answer.StatusCode)
		}
		time.Sleep(time.Second)
		if answer := ask(g, "localhost:8081", "", with("page_8081", good)); answer.StatusCode != 401 {
			t.Errorf("after it has expired: status %d", answer.StatusCode)
		}
	})
}

func TestGuessesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Config{Name: "the page", Token: token, Cookie: "page"})
		bearer := func(value string) func(r *http.Request) {
			return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+value) }
		}
		code := func(view string, change func(r *http.Request)) int {
			return ask(g, "shop.example", view, change).StatusCode
		}
		cookie := ask(g, "shop.example", "?token="+token, func(*http.Request) {}).Cookies()[0]
		for range 100 { // neither right tokens nor requests without one are guesses
			if a, b := code("", bearer(token)), code("", func(*http.Request) {}); a != 200 || b != 401 {
				t.Fatalf("status %d with the token, %d without", a, b)
			}
		}
		for i := range guessBurst {
			view, change := "", bearer("nonsense")
			if i%2 == 0 {
				view, change = "?token=nonsense", func(*http.Request) {}
			}
			if got := code(view, change); got != 401 {
				t.Fatalf("guess %d: status %d", i+1, got)
			}
		}
		for _, guess := range []string{"nonsense", token} { // they look the same
			answer := ask(g, "shop.example", "", bearer(guess))
			if answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" {
				t.Errorf("%q after too many guesses: status %d", guess, answer.StatusCode)
			}
			if got := code("?token="+guess, func(*http.Request) {}); got != 429 {
				t.Errorf("?token=%s after too many guesses: status %d", guess, got)
			}
		}
		if got := code("", func(r *http.Request) { r.AddCookie(cookie) }); got != 200 {
			t.Errorf("with a cookie: status %d", got)
		}
		time.Sleep(guessEvery)
		if a, b, c := code("", bearer(token)), code("", bearer("nonsense")), code("", bearer(token)); a != 200 || b != 401 || c != 429 {
			t.Errorf("after a second: status %d, then %d and %d", a, b, c)
		}
	})
}
