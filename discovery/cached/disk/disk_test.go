package disk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vedette.dev/apitest"
	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/disk"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counted is a configuration whose requests are counted by path.
type counted struct {
	mu    sync.Mutex
	paths []string
}

func (c *counted) config(t *testing.T) *rest.Config {
	t.Helper()
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	config := server.RESTConfig()
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			c.mu.Lock()
			c.paths = append(c.paths, req.URL.Path)
			c.mu.Unlock()
			return rt.RoundTrip(req)
		})
	})
	return config
}

func (c *counted) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	paths := c.paths
	c.paths = nil
	return paths
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func newClient(t *testing.T, config *rest.Config, dir string, ttl time.Duration) *disk.CachedDiscoveryClient {
	t.Helper()
	client, err := disk.NewCachedDiscoveryClientForConfig(config, dir, "", ttl)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestCache(t *testing.T) {
	var requests counted
	config := requests.config(t)
	dir := filepath.Join(t.TempDir(), "cache")
	first := newClient(t, config, dir, time.Hour)
	groups, lists, err := first.ServerGroupsAndResources()
	if err != nil || len(groups) < 10 || len(lists) < 10 || len(requests.take()) == 0 || !first.Fresh() {
		t.Fatalf("%d groups, %d lists, fresh %t, %v", len(groups), len(lists), first.Fresh(), err)
	}
	// Another process reads the files only.
	second := newClient(t, config, dir, time.Hour)
	again, more, err := second.ServerGroupsAndResources()
	if err != nil || len(again) != len(groups) || len(more) != len(lists) {
		t.Fatalf("%d groups, %d lists, %v", len(again), len(more), err)
	}
	if paths := requests.take(); len(paths) != 0 || second.Fresh() {
		t.Errorf("%q, fresh %t", paths, second.Fresh())
	}
	if preferred, err := second.ServerPreferredNamespacedResources(); err != nil || len(preferred) == 0 {
		t.Error(preferred, err)
	}
	second.Invalidate()
	if list, err := second.ServerResourcesForGroupVersion("apps/v1"); err != nil || len(list.APIResources) == 0 || !second.Fresh() || len(requests.take()) == 0 {
		t.Error(list, err)
	}
	// The file is now its own, and is used.
	if _, err := second.ServerResourcesForGroupVersion("apps/v1"); err != nil || !second.Fresh() || len(requests.take()) != 0 {
		t.Error(err)
	}
	if v, err := second.ServerVersion(); err != nil || v.Major != "1" || second.RESTClient() == nil || second.WithLegacy() != discovery.DiscoveryInterface(second) {
		t.Error(v, err)
	}
}

func TestBadFiles(t *testing.T) {
	var requests counted
	config := requests.config(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "servergroups.json")
	for _, text := range []string{"", "{", `{"kind":"Other","apiVersion":"v1"}`, strings.Repeat("x", 100)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if groups, err := newClient(t, config, dir, time.Hour).ServerGroups(); err != nil || len(groups.Groups) < 10 {
			t.Errorf("%q: %v, %v", text, groups, err)
		}
	}
	requests.take()
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := newClient(t, config, dir, time.Hour).ServerGroups(); err != nil || len(requests.take()) == 0 {
		t.Error("a file that is too old was used", err)
	}
	// A folder that cannot be made is not an error.
	if groups, err := newClient(t, config, filepath.Join(file, "x"), time.Hour).ServerGroups(); err != nil || len(groups.Groups) < 10 {
		t.Error(groups, err)
	}
	if _, err := newClient(t, config, dir, time.Hour).ServerResourcesForGroupVersion("../../x"); err == nil {
		t.Error("a version outside of the folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

func TestResponses(t *testing.T) {
	var got []string
	tag := "one"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got = append(got, req.Header.Get("If-None-Match"))
		w.Header().Set("ETag", `"`+tag+`"`)
		w.Header().Set("Content-Type", "application/json")
		if req.Header.Get("If-None-Match") == `"`+tag+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"%s","kind":"K","verbs":["list"]}]}`, tag)
	}))
	t.Cleanup(server.Close)
	cache := t.TempDir()
	ask := func() string {
		t.Helper()
		client, err := disk.NewCachedDiscoveryClientForConfig(&rest.Config{Host: server.URL}, t.TempDir(), cache, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections()
		data, err := client.RESTClient().Get().AbsPath("/apis/apps/v1").Do(t.Context()).Raw()
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for range 2 {
		if !strings.Contains(ask(), `"one"`) {
			t.Error("not the first response")
		}
	}
	tag = "two"
	if !strings.Contains(ask(), `"two"`) {
		t.Error("an old response")
	}
	files, err := filepath.Glob(cache + "/*")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(ask(), `"two"`) {
		t.Error("a damaged file was used")
	}
	if want := []string{"", `"one"`, `"one"`, ""}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}
