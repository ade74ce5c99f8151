package conformance

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	notAllowed = refusal{code: http.StatusMethodNotAllowed, reason: metav1.StatusReasonMethodNotAllowed, message: "the server does not allow this method on the requested resource"}
	unknown    = refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound, message: "the server could not find the requested resource"}
)

var garbage = []behaviour{
	{"a body that is not JSON is a bad request", func(e *env) {
		for _, body := range []string{`{"metadata":{"name":"a"`, `garbage`, `[1,2]`, `"text"`, ` `, `{"metadata":{"name":7}}`, `{"metadata":[]}`, `{"data":{"k":1},"metadata":{"name":"a"}}`} {
			if e.refused(e.ask("POST", e.configMapsPath(), body).err, badRequest("")); e.Failed() {
				e.Fatalf("body %q", body)
			}
		}
		e.refused(e.ask("PUT", e.configMapsPath()+"/a", `garbage`).err, badRequest(""))
	}},
	{"no body is a bad request", func(e *env) {
		e.refused(e.ask("POST", e.configMapsPath(), "").err, badRequest("the object provided is unrecognized (must be of type ConfigMap)"))
	}},
	{"a body that is not protobuf is a bad request", func(e *env) {
		for _, body := range []string{`{"metadata":{"name":"a"}}`, "k8s\x00", "k8s\x00\xff\xff\xff\xff\xff", "k8s\x00\x0a\x0b\x0a\x02v1\x12\x05Wrong\x12\x00"} {
			if e.refused(e.ask("POST", e.configMapsPath(), body, "Content-Type", asProtobuf).err, badRequest("")); e.Failed() {
				e.Fatalf("body %q", body)
			}
		}
	}},
	{"a body that is not YAML is a bad request", func(e *env) {
		e.refused(e.ask("POST", e.configMapsPath(), "metadata: [name: a", "Content-Type", asYAML).err, badRequest(""))
	}},
	{"a body of four megabytes is too large", func(e *env) {
		body := `{"metadata":{"name":"a"},"data":{"k":"` + strings.Repeat("x", 4<<20) + `"}}`
		e.create(configMap("a"))
		want := refusal{code: http.StatusRequestEntityTooLarge, reason: metav1.StatusReasonRequestEntityTooLarge}
		a := e.ask("POST", e.configMapsPath(), body)
		e.refused(a.err, want)
		a = e.ask("PATCH", e.configMapsPath()+"/a", body, "Content-Type", "application/merge-patch+json")
		e.refused(a.err, want)
	}},
	{"a config map of more than a megabyte is too long", func(e *env) {
		_, err := e.configMaps().Create(e.ctx, configMap("a", "k", strings.Repeat("x", 1<<20+1)), metav1.CreateOptions{})
		want := invalid("ConfigMap", "a")
		want.message = "may not be more than 1048576 bytes"
		e.refused(err, want)
	}},
	{"a method that does not fit is not allowed", func(e *env) {
		e.create(configMap("a"))
		for _, request := range []string{"PUT ", "PATCH ", "POST /a", "TRACE ", "HEAD /a"} {
			method, name, _ := strings.Cut(request, " ")
			a := e.ask(method, e.configMapsPath()+name, `{}`, "Content-Type", "application/merge-patch+json")
			if a.code != http.StatusMethodNotAllowed {
				e.Errorf("%s: %d, %v", request, a.code, a.err)
			}
			if method != "HEAD" {
				e.refused(a.err, notAllowed)
			}
		}
	}},
	{"a path that is not served is not found", func(e *env) {
		for _, path := range []string{"/nothing", "/apis/nothing.example.com/v1/things", "/apis/nothing.example.com"} {
			if a := e.ask("GET", path, ""); a.code != http.StatusNotFound || string(a.body) != "404 page not found\n" {
				e.Errorf("%s: %d %q", path, a.code, a.body)
			}
		}
	}},
	{"a resource that is not served is not found", func(e *env) {
		for _, path := range []string{
			"/api/v1/nothings", "/api/v2/pods", "/apis/apps/v9/deployments", "/apis/apps/v1/nothings", "/api/v1/namespaces/default/nothings",
			"/api/v1/namespaces/default/nodes", "/api/v1/configmaps/a", "/api/v1/namespaces/default/pods/a/nothing",
		} {
			if e.refused(e.ask("GET", path, "").err, unknown); e.Failed() {
				e.Fatalf("path %s", path)
			}
		}
	}},
	{"a name that no object can have is not found", func(e *env) {
		for _, name := range []string{"UPPER", "under_score", strings.Repeat("x", 300)} {
			e.refused(e.ask("GET", e.configMapsPath()+"/"+name, "").err, notFound("configmaps", name))
		}
	}},
	{"unknown parameters are ignored", func(e *env) {
		e.get(e.configMapsPath() + "?nothing=here&limit=1")
	}},
}
