package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"vedette.dev/rest"
)

// patching sends requests as they are, which clients would not.
type patching struct {
	t       *testing.T
	host    string
	client  *http.Client
	objects map[string]patchObject
}

func newPatching(t *testing.T) *patching {
	t.Helper()
	config := adminConfig(t)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	p := &patching{t: t, host: config.Host, client: client}
	readYAML(t, "objects.yaml", &p.objects)
	p.do(http.MethodPost, "/api/v1/namespaces", "application/json", `{"metadata":{"name":"patched"}}`) // or it is there
	var crd map[string]any
	readYAML(t, "crd.yaml", &crd)
	p.must(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", p.text(crd))
	t.Cleanup(func() {
		const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
		p.do(http.MethodDelete, definition, "", "")
		p.await(definition, http.StatusNotFound)
	})
	p.await("/apis/example.com/v1/widgets", http.StatusOK)
	return p
}

func (p *patching) await(path string, want int) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		code, _, _ := p.do(http.MethodGet, path, "", "")
		if code == want {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s still answers %d", path, code)
		}
	}
}

// answer brings the object into its state, sends the request and takes the object away.
func (p *patching) answer(c patchCase) patchAnswer {
	o, ok := p.objects[c.Object]
	if !ok {
		p.t.Fatalf("%s: there is no object %q", c.Name, c.Object)
	}
	path := p.path(o, c.Path)
	if !c.Missing && c.Verb != http.MethodPost {
		p.must(http.MethodPost, strings.TrimSuffix(p.path(o, ""), "/thing")+"?fieldManager=setup", p.text(o.Manifest))
	}
	defer p.remove(p.path(o, ""))
	for _, b := range c.Before {
		if code, _, body := p.send(path, b); code/100 != 2 {
			p.t.Fatalf("%s: before: %d %s", c.Name, code, body)
		}
	}
	var a patchAnswer
	if code, _, live := p.do(http.MethodGet, path, "", ""); code == http.StatusOK {
		a.Live = steady(live)
	}
	code, header, body := p.send(path, c)
	warnings, _ := utilnet.ParseWarningHeaders(header["Warning"])
	a.Code, a.Body = code, steady(body)
	if c.Sub == "scale" {
		_, _, after := p.do(http.MethodGet, path, "", "")
		a.After = steady(after)
	}
	for _, w := range warnings {
		a.Warnings = append(a.Warnings, string(bytes.TrimSpace(noise(w.Text))))
	}
	return a
}

// remove takes finalizers off first.
func (p *patching) remove(path string) {
	p.send(path, patchCase{Type: "merge", Body: `{"metadata":{"finalizers":null}}`})
	p.do(http.MethodDelete, path, "application/json", `{"gracePeriodSeconds":0}`)
	if code, _, _ := p.do(http.MethodGet, path, "", ""); code != http.StatusNotFound {
		p.t.Fatalf("%s is still there: %d", path, code)
	}
}

func (p *patching) path(o patchObject, resource string) string {
	if resource == "" {
		resource = o.Resource
	}
	i := strings.LastIndex(resource, "/")
	version, plural := resource[:i], resource[i+1:]
	root := "/apis/"
	if version == "v1" {
		root = "/api/"
	}
	if ns, ok := o.Manifest["metadata"].(map[string]any)["namespace"]; ok {
		plural = fmt.Sprintf("namespaces/%v/%s", ns, plural)
	}
	return root + version + "/" + plural + "/thing"
}

func (p *patching) send(path string, c patchCase) (int, http.Header, string) {
	query := url.Values{}
	switch {
	case c.NoManager:
	case c.Manager != "":
		query.Set("fieldManager", c.Manager)
	default:
		query.Set("fieldManager", "tester")
	}
	if c.Force {
		query.Set("force", "true")
	}
	if c.Validation != "" {
		query.Set("fieldValidation", c.Validation)
	}
	types := map[string]string{
		"json": "application/json-patch+json", "merge": "application/merge-patch+json", "none": "",
		"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml",
	}
	mediaType, ok := types[c.Type]
	if !ok {
		mediaType = c.Type
	}
	verb := c.Verb
	switch verb {
	case "":
		verb = http.MethodPatch
	case http.MethodPost:
		path = strings.TrimSuffix(path, "/thing")
	}
	if c.Sub != "" {
		path += "/" + c.Sub
	}
	body := c.Body
	if c.Repeat > 0 {
		body = "[" + strings.TrimSuffix(strings.Repeat(body+",", c.Repeat), ",") + "]"
	}
	return p.do(verb, path+"?"+query.Encode(), mediaType, body)
}

func (p *patching) must(verb, path, body string) {
	p.t.Helper()
	if code, _, answer := p.do(verb, path, "application/json", body); code/100 != 2 {
		p.t.Fatalf("%s %s: %d %s", verb, path, code, answer)
	}
}

func (p *patching) do(verb, path, contentType, body string) (int, http.Header, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), verb, p.host+path, strings.NewReader(body))
	if p.t.Context().Err() != nil { // in a cleanup
		req, err = http.NewRequest(verb, p.host+path, strings.NewReader(body))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(answer)
}

func (p *patching) text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

var (
	uids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	times    = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	versions = regexp.MustCompile(`(resourceVersion[\\"]+:[\\"]+)\d+`)
)

// noise replaces what differs each time, everywhere: error messages quote objects.
func noise(s string) []byte {
	s = uids.ReplaceAllString(s, "00000000-0000-4000-8000-000000000000")
	s = times.ReplaceAllString(s, "2024-01-01T00:00:00Z")
	return []byte(versions.ReplaceAllString(s, "${1}7"))
}

// steady is the body of an answer, or the text of one that is no JSON.
func steady(body string) json.RawMessage {
	data := noise(strings.TrimSpace(body))
	if !json.Valid(data) {
		data, _ = json.Marshal(string(data)) // a string always can be
	}
	return data
}
