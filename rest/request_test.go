package rest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var parameters = runtime.NewParameterCodec(testScheme)

func TestURL(t *testing.T) {
	plain := newTestClient(t, configFor("https://host:1"))
	below := newTestClient(t, configFor("https://host:1/proxy/"))
	timeout := int64(5)
	tests := []struct {
		name string
		r    *Request
		want string
	}{
		{"list", plain.Get().Resource("Pods"), "https://host:1/api/v1/pods"},
		{"one", plain.Get().Namespace("ns").Resource("pods").Name("a").SubResource("status"), "https://host:1/api/v1/namespaces/ns/pods/a/status"},
		{"below a path", below.Get().Namespace("ns").Resource("pods"), "https://host:1/proxy/api/v1/namespaces/ns/pods"},
		{"prefix and suffix", plain.Get().Prefix("x", "y").Resource("pods").Suffix("log", "z"), "https://host:1/api/v1/x/y/pods/log/z"},
		{"absolute", below.Get().AbsPath("/apis/apps", "v1").Resource("deployments"), "https://host:1/proxy/apis/apps/v1/deployments"},
		{"slash at the end", plain.Get().AbsPath("/healthz/"), "https://host:1/healthz/"},
		{"root", plain.Get().AbsPath("/"), "https://host:1/"},
		{"URI", below.Get().Param("gone", "1").RequestURI("/a/b?c=d&c=e"), "https://host:1/proxy/a/b?c=d&c=e"},
		{"parameters add up", plain.Get().Resource("pods").Param("a", "1").Param("a", "2"), "https://host:1/api/v1/pods?a=1&a=2"},
		{"options", plain.Get().Resource("pods").VersionedParams(&metav1.ListOptions{Limit: 100, TimeoutSeconds: &timeout, Watch: true}, parameters),
			"https://host:1/api/v1/pods?limit=100&timeoutSeconds=5&watch=true"},
		{"timeout", plain.Get().Resource("pods").Timeout(90 * time.Second), "https://host:1/api/v1/pods?timeout=1m30s"},
		{"hostile token", plain.Get().Resource("pods").Param("continue", "x&watch=true#/../\x00é"),
			"https://host:1/api/v1/pods?continue=x%26watch%3Dtrue%23%2F..%2F%00%C3%A9"},
		{"odd name", plain.Get().Namespace("ns").Resource("pods").Name("a?b #c"), "https://host:1/api/v1/namespaces/ns/pods/a%3Fb%20%23c"},
		{"no namespace", plain.Get().NamespaceIfScoped("ns", false).Resource("nodes"), "https://host:1/api/v1/nodes"},
	}
	for _, tt := range tests {
		if got := tt.r.URL().String(); got != tt.want || tt.r.Error() != nil {
			t.Errorf("%s: %s (%v), want %s", tt.name, got, tt.r.Error(), tt.want)
		}
	}
}

// The first error sticks, and nothing is sent.
func TestBuilderErrors(t *testing.T) {
	config := configFor("http://host")
	config.Transport = roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("something was sent")
		return nil, io.EOF
	})
	client := newTestClient(t, config)
	tests := []struct {
		name string
		r    *Request
		want string
	}{
		{"no name", client.Delete().Resource("pods").Name(""), "resource name may not be empty"},
		{"name twice", client.Get().Name("a").Name("b"), `resource name already set to "a", cannot change to "b"`},
		{"resource twice", client.Get().Resource("a").Resource("b"), `resource already set to "a"`},
		{"namespace twice", client.Get().Namespace("").Namespace("b"), "namespace already set"},
		{"subresource twice", client.Get().SubResource("a").SubResource("b"), "subresource already set"},
		{"dots", client.Get().Name(".."), "may not be '..'"},
		{"slash", client.Get().Namespace("a/b"), "may not contain '/'"},
		{"percent", client.Get().SubResource("a", "%2f"), "may not contain '%'"},
		{"first one", client.Get().Name("").Namespace("/").Body(7).Param("a", "b"), "resource name may not be empty"},
		{"body", client.Post().Body(7), "unsupported type int"},
		{"body of a struct", client.Post().Body(corev1.Pod{}), "unsupported type v1.Pod"},
		{"file", client.Post().Body("/does/not/exist"), "no such file"},
		{"URI", client.Get().RequestURI("::"), "request URI"},
		{"parameters", client.Get().VersionedParams(&corev1.Pod{}, brokenCodec{parameters}), "query parameters of a *v1.Pod"},
		{"namespace of a creation", client.Post().Namespace("").Resource("pods"), "may not be set during creation"},
		{"namespace of one", client.Get().Namespace("").Resource("pods").Name("a"), "may not be set when a resource name"},
	}
	for _, tt := range tests {
		for how, err := range map[string]error{
			"Do": tt.r.Do(background).Error(), "DoRaw": second(tt.r.DoRaw(background)), "Stream": second(tt.r.Stream(background)),
			"Watch": second(tt.r.Watch(background)), "Items": second(tt.r.Items(background)), "Frames": second(tt.r.Frames(background)),
		} {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %s: %v, want %q", tt.name, how, err, tt.want)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

type brokenCodec struct{ runtime.ParameterCodec }

func (brokenCodec) EncodeParameters(runtime.Object, schema.GroupVersion) (url.Values, error) {
	return nil, io.ErrClosedPipe
}

func TestBodies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got, contentType, accept string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, contentType, accept = string(body), r.Header.Get("Content-Type"), r.Header.Get("Accept")
	})
	tests := []struct {
		name               string
		r                  *Request
		body, kind, accept string
	}{
		{"bytes", client.Post().Body([]byte("bytes")), "bytes", "", "application/json, */*"},
		{"reader", client.Post().Body(strings.NewReader("reader")), "reader", "", "application/json, */*"},
		{"file", client.Post().Body(file), "from a file", "", "application/json, */*"},
		{"object", client.Post().Body(&metav1.DeleteOptions{}), `{"kind":"DeleteOptions","apiVersion":"v1"}` + "\n", "application/json", "application/json, */*"},
		{"nil object", client.Post().Body((*corev1.Pod)(nil)), "", "", "application/json, */*"},
		{"protobuf", client.Post().UseProtobufAsDefault().Body(&corev1.Pod{}), "k8s\x00", contentTypeProtobuf, "application/vnd.kubernetes.protobuf,application/json"},
		{"patch", client.Patch(types.MergePatchType).Body([]byte("{}")), "{}", "application/merge-patch+json", "application/json, */*"},
	}
	for _, tt := range tests {
		if err := tt.r.AbsPath("/x").Do(background).Error(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got, tt.body) || tt.body == "" && got != "" || contentType != tt.kind || accept != tt.accept {
			t.Errorf("%s: body %q of type %q, accept %q", tt.name, got, contentType, accept)
		}
	}
}

// What the configuration asks for wins over protobuf.
func TestContentTypeOfTheConfig(t *testing.T) {
	for _, set := range []func(*Config){
		func(c *Config) { c.ContentType = "application/json" },
		func(c *Config) { c.AcceptContentTypes = "application/json" },
	} {
		config := configFor("http://host")
		set(config)
		r := newTestClient(t, config).Get().UseProtobufAsDefault()
		if accept := r.headers.Get("Accept"); strings.Contains(accept, "protobuf") {
			t.Errorf("accept %q", accept)
		}
	}
}

// A Request that is sent again, by a caller or by a retry, is the same request.
func TestRequestCanBeSentTwice(t *testing.T) {
	n := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) == "body" && r.Header.Get("X") == "1" {
			n++
		}
	})
	r := client.Post().AbsPath("/x").SetHeader("X", "1").Body([]byte("body"))
	for range 2 {
		if err := r.Do(context.Background()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	if n != 2 {
		t.Errorf("%d of 2 were whole", n)
	}
}
