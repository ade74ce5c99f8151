package transport

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// secrets are the headers of a request by which a server could act for the client.
func secrets(h http.Header) (found []string) {
	for key := range h {
		if key == "Authorization" || strings.HasPrefix(key, "Impersonate-") || strings.HasPrefix(key, "X-Remote-") {
			found = append(found, key)
		}
	}
	return found
}

// A request goes to a server at /PATH, which sends it on; what arrives at the end, and where, is the result.
func TestCredentialsDoNotFollowRedirects(t *testing.T) {
	var here, there *httptest.Server
	type arrival struct {
		server  string
		secrets []string
	}
	var arrivals []arrival
	handler := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			arrivals = append(arrivals, arrival{name, secrets(r.Header)})
			switch r.URL.Path {
			case "/away":
				http.Redirect(w, r, there.URL+"/end", http.StatusFound)
			case "/away-307":
				http.Redirect(w, r, there.URL+"/end", http.StatusTemporaryRedirect)
			case "/stay":
				http.Redirect(w, r, here.URL+"/end", http.StatusFound)
			case "/and-back":
				http.Redirect(w, r, there.URL+"/stay", http.StatusFound)
			case "/stay-and-away":
				http.Redirect(w, r, "/away", http.StatusFound)
			}
		}
	}
	here, there = httptest.NewServer(handler("here")), httptest.NewServer(handler("there"))
	defer here.Close()
	defer there.Close()

	configs := map[string]*Config{
		"bearer":      {BearerToken: "t"},
		"basic":       {Username: "u", Password: "p"},
		"impersonate": {Impersonate: ImpersonationConfig{UserName: "u", Groups: []string{"g"}, UID: "1", Extra: map[string][]string{"k": {"v"}}}},
		"auth proxy": {WrapTransport: func(rt http.RoundTripper) http.RoundTripper {
			return NewAuthProxyRoundTripper("u", "1", []string{"g"}, nil, rt)
		}},
	}
	for name, config := range configs {
		// At each arrival: whether the credentials should be there.
		for path, want := range map[string][]bool{
			"/end":           {true},
			"/stay":          {true, true},
			"/away":          {true, false},
			"/away-307":      {true, false},
			"/and-back":      {true, false, false}, // the path was chosen by the other server
			"/stay-and-away": {true, true, false},
		} {
			arrivals = nil
			if _, err := get(t, newClient(t, config), here.URL+path); err != nil {
				t.Fatal(err)
			}
			if len(arrivals) != len(want) {
				t.Fatalf("%s %s: arrivals %v, want %d", name, path, arrivals, len(want))
			}
			for i, a := range arrivals {
				if (len(a.secrets) > 0) != want[i] {
					t.Errorf("%s %s: request %d arrived at %q with %v", name, path, i+1, a.server, a.secrets)
				}
			}
		}
	}
}

// With 307 and 308 a client repeats the request as it was. Its body goes to the server that it is for, and to no other.
func TestBodiesDoNotFollowRedirects(t *testing.T) {
	var here, there *httptest.Server
	var arrivals []string
	handler := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			content, _ := io.ReadAll(r.Body)
			arrivals = append(arrivals, fmt.Sprintf("%s %s %q", name, r.Method, content))
			code, _ := strconv.Atoi(r.URL.Query().Get("code"))
			switch r.URL.Path {
			case "/away":
				http.Redirect(w, r, there.URL+"/end", code)
			case "/stay":
				http.Redirect(w, r, here.URL+"/end", code)
			case "/stay-and-away":
				http.Redirect(w, r, "/away?code="+r.URL.Query().Get("code"), code)
			}
		}
	}
	here, there = httptest.NewServer(handler("here")), httptest.NewServer(handler("there"))
	defer here.Close()
	defer there.Close()

	sent := `here PUT "secret"`
	for _, test := range []struct {
		path, method, body string
		want               []string
		refused            bool
	}{
		{"/away?code=307", "PUT", "secret", []string{sent}, true},
		{"/away?code=308", "PUT", "secret", []string{sent}, true},
		{"/stay-and-away?code=307", "PUT", "secret", []string{sent, sent}, true},
		{"/stay?code=307", "PUT", "secret", []string{sent, sent}, false},
		{"/away?code=302", "PUT", "secret", []string{sent, `there GET ""`}, false}, // has no body any more
		{"/away?code=307", "DELETE", "", []string{`here DELETE ""`, `there DELETE ""`}, false},
		{"/end", "PUT", "secret", []string{sent}, false},
	} {
		arrivals = nil
		req, err := http.NewRequestWithContext(t.Context(), test.method, here.URL+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		_, err = do(newClient(t, &Config{}), req)
		if refused := err != nil && strings.Contains(err.Error(), "redirect of a request with a body to another origin rejected"); refused != test.refused || !refused && err != nil {
			t.Errorf("%s %s: %v", test.method, test.path, err)
		}
		if !slices.Equal(arrivals, test.want) {
			t.Errorf("%s %s: arrived %q, want %q", test.method, test.path, arrivals, test.want)
		}
	}
}

func TestCredentialsAllowed(t *testing.T) {
	chain := func(urls ...string) *http.Request {
		var req *http.Request
		for _, u := range urls {
			parsed, err := url.Parse(u)
			if err != nil {
				t.Fatal(err)
			}
			next := &http.Request{URL: parsed}
			if req != nil {
				next.Response = &http.Response{Request: req}
			}
			req = next
		}
		return req
	}
	for _, test := range []struct {
		urls []string
		want bool
	}{
		{[]string{"https://a"}, true},
		{[]string{"https://a/1", "https://a/2"}, true},
		{[]string{"https://a", "https://a:443/x"}, true},
		{[]string{"http://a", "http://A:80"}, true},
		{[]string{"https://a", "https://b"}, false},
		{[]string{"https://a", "http://a"}, false},
		{[]string{"https://a", "https://a:6443"}, false},
		{[]string{"https://a", "https://sub.a"}, false},
		{[]string{"https://a", "https://b", "https://a"}, false},
		{[]string{"https://[::1]:1", "https://[::1]:1"}, true},
		{[]string{"https://[::1]:1", "https://[::2]:1"}, false},
	} {
		if got := CredentialsAllowed(chain(test.urls...)); got != test.want {
			t.Errorf("%v: %t, want %t", test.urls, got, test.want)
		}
	}
	if CredentialsAllowed(&http.Request{URL: &url.URL{}, Response: &http.Response{}}) {
		t.Error("a redirect from an unknown place may carry credentials")
	}
}
