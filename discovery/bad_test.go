package discovery_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
)

const v2 = discovery.AcceptV2

// What a server, or something in front of it, may answer in the place of discovery.
func TestBadAnswers(t *testing.T) {
	tests := []struct {
		name, path, contentType, body string
		want                          []string // parts of the error; none if it is to be read
	}{
		{"login page", "/apis", "text/html", "<html><body>Please log in</body></html>", []string{"GET /apis", "text/html", "Please log in"}},
		{"login page for the core group", "/api", "text/html", "<html>", []string{"GET /api", "<html>"}},
		{"login page that says it is JSON", "/apis", "application/json", "<html>", []string{"<html>"}},
		{"nothing", "/apis", "application/json", "", []string{"0 bytes"}},
		{"half", "/apis", "application/json", `{"kind":"APIGroupList","groups":[{"name":"ap`, []string{"APIGroupList", "unexpected end"}},
		{"half of aggregated", "/apis", v2, `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"na`, []string{"APIGroupDiscoveryList", "unexpected end"}},
		{"another kind", "/apis", "application/json", `{"kind":"Status","status":"Failure"}`, []string{`"Status"`}},
		{"another kind, aggregated", "/apis", v2, `{"kind":"APIGroupList"}`, []string{`"APIGroupList"`}},
		{"a list", "/apis", "application/json", `[]`, []string{"cannot unmarshal array"}},
		{"a number for a name", "/apis", "application/json", `{"groups":[{"name":1}]}`, []string{"cannot unmarshal number"}},
		{"a group without a name", "/apis", "application/json", `{"groups":[{"name":"a"},{}]}`, []string{"group 2 of 2 has no name"}},
		{"null for a group", "/apis", v2, `{"items":[null]}`, []string{"group 1 of 1 has no name"}},
		{"a version without a name", "/apis", v2, `{"items":[{"metadata":{"name":"a"},"versions":[null]}]}`, []string{`version 1 of group "a" has no name`}},
		{"an empty version of the core group", "/api", "application/json", `{"versions":[""]}`, []string{"has no name"}},

		{"null", "/apis", "application/json", `null`, nil},
		{"null lists", "/apis", "application/json", `{"kind":"APIGroupList","groups":null}`, nil},
		{"null lists, aggregated", "/apis", v2, `{"items":null}`, nil},
		{"null versions", "/apis", v2, `{"items":[{"metadata":{"name":"a"},"versions":null}]}`, nil},
		{"null resources", "/apis", v2, `{"items":[{"metadata":{"name":"a"},"versions":[{"version":"v1","resources":[null]}]}]}`, nil},
		{"no core versions", "/api", "application/json", `{"kind":"APIVersions","versions":null}`, nil},
		{"no content type", "/apis", "", `{"kind":"APIGroupList"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := discoverytest.New()
			server.Instead("/api", discoverytest.Send("application/json", `{"kind":"APIVersions","versions":["v1"]}`))
			server.Instead("/api/v1", discoverytest.Send("application/json", `{"kind":"APIResourceList","resources":null}`))
			server.Instead("/apis/a/v1", discoverytest.Send("application/json", `{"kind":"APIResourceList"}`))
			server.Instead("/apis", discoverytest.Send("application/json", `{"kind":"APIGroupList"}`))
			server.Instead(tt.path, discoverytest.Send(tt.contentType, tt.body))
			_, _, err := start(t, server).ServerGroupsAndResources()
			if (err != nil) != (tt.want != nil) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestBadResourceLists(t *testing.T) {
	for body, part := range map[string]string{
		"<html>":                          "<html>",
		`{"kind":"APIResourceList","reso`: "unexpected end",
		`{"kind":"APIGroup"}`:             `"APIGroup"`,
	} {
		server := recorded(t, false)
		server.Instead("/apis/apps/v1", discoverytest.Send("application/json", body))
		_, lists, err := start(t, server).ServerGroupsAndResources()
		failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
		reason := failed[schema.GroupVersion{Group: "apps", Version: "v1"}]
		if reason == nil || !strings.Contains(reason.Error(), part) || !strings.Contains(reason.Error(), "/apis/apps/v1") {
			t.Errorf("%s: reason %v, want one that says %q", body, reason, part)
		}
		if len(lists) != 3 {
			t.Errorf("%s: %q, want the other three", body, names(lists))
		}
	}
}

// A group that is named twice is one group, whose versions are all there.
func TestDuplicateGroups(t *testing.T) {
	const version = `{"version":%q,"freshness":"Current","resources":[{"resource":"things","responseKind":{"kind":"Thing"}}]}`
	v1, v2beta := fmt.Sprintf(version, "v1"), fmt.Sprintf(version, "v2beta1")
	bodies := map[string]string{
		v2: `{"items":[{"metadata":{"name":"a"},"versions":[` + v1 + `]},{"metadata":{"name":"b"}},{"metadata":{"name":"a"},"versions":[` + v1 + `,` + v2beta + `]}]}`,
		"application/json": `{"groups":[{"name":"a","versions":[{"groupVersion":"a/v1","version":"v1"}],"preferredVersion":{"groupVersion":"a/v1","version":"v1"}},{"name":"b"},
			{"name":"a","versions":[{"version":"v1"},{"version":"v2beta1"}],"preferredVersion":{"groupVersion":"a/v2beta1","version":"v2beta1"}}]}`,
	}
	for contentType, body := range bodies {
		server := discoverytest.New()
		server.Instead("/apis", discoverytest.Send(contentType, body))
		groups, err := start(t, server).ServerGroups()
		if err != nil || len(groups.Groups) != 2 {
			t.Fatalf("%s: groups %v, %v; want a and b", contentType, groups, err)
		}
		a := groups.Groups[0]
		if a.Name != "a" || len(a.Versions) != 2 || a.Versions[1].GroupVersion != "a/v2beta1" || a.PreferredVersion.Version != "v1" {
			t.Errorf("%s: group %+v", contentType, a)
		}
	}
}

// The error has the message of the server.
func TestErrorsOfTheServer(t *testing.T) {
	server := recorded(t, true)
	server.Instead("/apis", discoverytest.Fail(403, metav1.StatusReasonForbidden, `User "eve" cannot get path "/apis"`))
	if _, err := start(t, server).ServerGroups(); err == nil || !strings.Contains(err.Error(), `User "eve"`) {
		t.Errorf("error %v, want the server's own words", err)
	}
}

// Some servers in a chain may know aggregated discovery, and others not. Then everything is asked for one by one.
func TestOnlyOneDocumentIsAggregated(t *testing.T) {
	for _, path := range []string{"/api", "/apis"} {
		server := recorded(t, false)
		server.Instead(path, discoverytest.Send(v2, read(t, "aggregated", path[1:]+".json")))
		server.Instead("/apis/example.com/v1", discoverytest.Send("application/json", `{"kind":"APIResourceList","resources":[{"name":"widgets","kind":"Widget"}]}`))
		_, lists, _ := start(t, server).ServerGroupsAndResources()
		if got := names(lists); len(got) < 4 || got[0] != "v1: bindings namespaces namespaces/finalize pods pods/eviction" || got[1] != "apps/v1: deployments deployments/scale" {
			t.Errorf("%s is aggregated: %q", path, got)
		}
	}
}

// Many group versions are asked for at the same time, but not all of them.
func TestBoundedParallelism(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var groups []discoverytest.Group
		release := make(chan struct{})
		server := discoverytest.New()
		for i := range 60 {
			name := fmt.Sprintf("g%02d.example.com", i)
			groups = append(groups, discoverytest.Group{Name: name, Versions: []discoverytest.Version{{Name: "v1"}}})
			server.Instead("/apis/"+name+"/v1", func(w http.ResponseWriter, r *http.Request) {
				<-release
				discoverytest.Send("application/json", `{"kind":"APIResourceList"}`)(w, r)
			})
		}
		server.Legacy().Serve(groups...)
		client, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: "http://example"}, &http.Client{Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, lists, err := client.ServerGroupsAndResources(); err != nil || len(lists) != 60 || !slices.IsSorted(names(lists)) {
				t.Errorf("%d lists, %v; want 60 in the order of the server", len(lists), err)
			}
		})
		synctest.Wait()
		if asked := server.Requests(); len(asked) != 2+16 {
			t.Errorf("%d requests at the same time, want 16", len(asked)-2)
		}
		close(release)
		wg.Wait()
	})
}

// Some servers, mostly in tests of programs, say only groupVersion.
func TestVersionsOfGroupVersions(t *testing.T) {
	server := discoverytest.New()
	server.Instead("/api", discoverytest.Send("application/json", `{"versions":["v1"]}`))
	server.Instead("/apis", discoverytest.Send("application/json", `{"groups":[{"name":"a","versions":[{"groupVersion":"a/v1beta1"}]}]}`))
	list, err := start(t, server).ServerGroups()
	if err != nil || len(list.Groups) != 2 || list.Groups[1].Versions[0].Version != "v1beta1" {
		t.Errorf("%v, %v", list, err)
	}
	server.Instead("/apis", discoverytest.Send("application/json", `{"groups":[{"name":"a","versions":[{"groupVersion":"b/v1"}]}]}`))
	if _, err := start(t, server).ServerGroups(); err == nil || !strings.Contains(err.Error(), `version 1 of group "a" has no name`) {
		t.Error(err)
	}
}
