package conformance

import (
	"bytes"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	asProtobuf = "application/vnd.kubernetes.protobuf"
	asYAML     = "application/yaml"
)

func notAcceptable(message string) refusal {
	return refusal{code: http.StatusNotAcceptable, reason: metav1.StatusReasonNotAcceptable, message: message}
}

var content = []behaviour{
	{"an object is the same in JSON and in protobuf", func(e *env) {
		p := pod("a")
		p.Labels = map[string]string{"l": "1"}
		e.createPod(p)
		var seen [2]corev1.Pod
		for i, contentType := range []string{"application/json", asProtobuf} {
			client := coreClient(e, e.target.Config, contentType)
			e.must(client.Get().Namespace(e.ns).Resource("pods").Name("a").Do(e.ctx).Into(&seen[i]))
		}
		if a, b := seen[0].Spec.String(), seen[1].Spec.String(); a != b || seen[0].ObjectMeta.String() != seen[1].ObjectMeta.String() {
			e.Errorf("%s\nand %s", a, b)
		}
	}},
	{"protobuf is sent with the prefix of its envelope", func(e *env) {
		e.create(configMap("a"))
		a := e.ask("GET", e.configMapsPath()+"/a", "", "Accept", asProtobuf)
		if e.must(a.err); a.contentType != asProtobuf || !bytes.HasPrefix(a.body, []byte("k8s\x00")) {
			e.Errorf("%s %.20q", a.contentType, a.body)
		}
	}},
	{"YAML can be sent and asked for", func(e *env) {
		a := e.ask("POST", e.configMapsPath(), "metadata:\n  name: a\ndata:\n  k: v\n", "Content-Type", asYAML, "Accept", asYAML)
		if e.must(a.err); a.contentType != asYAML || !strings.Contains(string(a.body), "kind: ConfigMap\n") {
			e.Errorf("%s %s", a.contentType, a.body)
		}
		e.data(e.read("a"), map[string]string{"k": "v"})
	}},
	{"what is sent and what comes back may differ in form", func(e *env) {
		a := e.ask("POST", e.configMapsPath(), `{"metadata":{"name":"a"}}`, "Accept", asProtobuf)
		if e.must(a.err); a.contentType != asProtobuf {
			e.Errorf("%s", a.contentType)
		}
	}},
	{"the first form that is known is taken, and JSON by default", func(e *env) {
		for accept, want := range map[string]string{
			"*/*": "application/json", "application/xml,*/*": "application/json", "application/xml," + asYAML: asYAML,
			asProtobuf + ",application/json": asProtobuf, "application/json;q=0.5," + asYAML: asYAML,
		} {
			a := e.ask("GET", e.configMapsPath(), "", "Accept", accept)
			if e.must(a.err); a.contentType != want {
				e.Errorf("%s: %s, want %s", accept, a.contentType, want)
			}
		}
	}},
	{"a form that is not known is not acceptable", func(e *env) {
		a := e.ask("GET", e.configMapsPath(), "", "Accept", "application/xml")
		e.refused(a.err, notAcceptable(""))
		a = e.ask("GET", e.configMapsPath()+"?watch=true&timeoutSeconds=1", "", "Accept", asYAML)
		if a.code != http.StatusNotAcceptable {
			e.Errorf("%d", a.code)
		}
	}},
	{"a body in a form that is not known is not supported", func(e *env) {
		for _, contentType := range []string{"text/plain", "application/xml"} {
			a := e.ask("POST", e.configMapsPath(), `{"metadata":{"name":"a"}}`, "Content-Type", contentType)
			e.refused(a.err, refusal{code: http.StatusUnsupportedMediaType, reason: metav1.StatusReasonUnsupportedMediaType,
				message: "the body of the request was in an unknown format"})
		}
	}},
	{"an error is a Status in the form that was asked for", func(e *env) {
		a := e.ask("GET", e.configMapsPath()+"/none", "", "Accept", asProtobuf)
		if e.refused(a.err, notFound("configmaps", "none")); a.contentType != asProtobuf {
			e.Errorf("%s", a.contentType)
		}
		a = e.ask("GET", e.configMapsPath()+"/none", "", "Accept", asYAML)
		if a.code != http.StatusNotFound || a.contentType != asYAML || !strings.Contains(string(a.body), "reason: NotFound") {
			e.Errorf("%d %s %s", a.code, a.contentType, a.body)
		}
	}},
	{"large responses are compressed if the client accepts it", func(e *env) {
		e.create(configMap("a", "k", strings.Repeat("x", 200<<10)))
		a := e.ask("GET", e.configMapsPath()+"/a", "", "Accept-Encoding", "gzip")
		if e.must(a.err); !bytes.HasPrefix(a.body, []byte{0x1f, 0x8b}) {
			e.Errorf("%.20q", a.body)
		}
		a = e.ask("GET", e.configMapsPath()+"/a", "", "Accept-Encoding", "identity")
		if e.must(a.err); a.body[0] != '{' {
			e.Errorf("%.20q", a.body)
		}
	}},
}
