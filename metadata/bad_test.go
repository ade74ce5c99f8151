package metadata_test

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/metadata"
	"vedette.dev/rest"
)

func TestBadAddresses(t *testing.T) {
	client := start(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s %s", r.Method, r.URL) })
	ctx := t.Context()
	_, empty := client.Resource(widgets).Get(ctx, "", metav1.GetOptions{})
	_, dots := client.Resource(widgets).Namespace("ns").Patch(ctx, "..", types.MergePatchType, nil, metav1.PatchOptions{})
	_, list := client.Resource(widgets).Namespace("a/b").List(ctx, metav1.ListOptions{})
	_, watch := client.Resource(schema.GroupVersionResource{Group: "apps", Resource: "x"}).Watch(ctx, metav1.ListOptions{})
	for want, err := range map[string]error{
		`cannot get the metadata of widgets.example.com in namespace "": resource name may not be empty`: empty,
		`cannot patch the metadata of widgets.example.com in namespace "ns": invalid resource name ".."`: dots,
		`cannot list the metadata of widgets.example.com in namespace "a/b": invalid namespace "a/b"`:    list,
		`the version is missing`:   watch,
		`invalid resource name "/`: client.Resource(widgets).Delete(ctx, "/", metav1.DeleteOptions{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestBadAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		code                    int
		contentType, body, want string
	}{
		"the server's error":                 {404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"no w","code":404}`, "no w"},
		"the server's error in protobuf":     {404, "application/vnd.kubernetes.protobuf", encode(t, &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Message: "no w", Code: 404}), "no w"},
		"an error that says 200":             {200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no w","code":404}`, "no w"},
		"html":                               {200, "text/html", "<html>log in", "log in"},
		"half":                               {200, "application/json", `{"kind":"Par`, "unexpected end"},
		"something without metadata":         {200, "application/json", `{"kind":"Widget","apiVersion":"v1"}`, "neither a name nor a UID"},
		"protobuf of something else":         {200, "application/vnd.kubernetes.protobuf", "k8s\x00\x0a\x0c\x0a\x02v1\x12\x06Widget", "Widget"},
		"bytes that are not protobuf, short": {200, "application/vnd.kubernetes.protobuf", "k8", "provided data does not appear to be a protobuf message"},
	} {
		t.Run(name, func(t *testing.T) {
			client := start(t, func(w http.ResponseWriter, _ *http.Request) { send(w, tt.code, tt.contentType, tt.body) })
			obj, err := client.Resource(widgets).Get(t.Context(), "w", metav1.GetOptions{})
			if obj != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want an error with %q", obj, err, tt.want)
			}
		})
	}
}

func TestConfigs(t *testing.T) {
	config := &rest.Config{Host: "http://127.0.0.1:1"}
	made := metadata.ConfigFor(config)
	if made.ContentType != "application/vnd.kubernetes.protobuf" || made.AcceptContentTypes != "application/vnd.kubernetes.protobuf,application/json" || made.UserAgent == "" {
		t.Errorf("config %v", made)
	}
	if config.NegotiatedSerializer != nil || config.ContentType != "" {
		t.Error("the caller's config was changed")
	}
	if metadata.NewForConfigOrDie(config) == nil {
		t.Error("no client")
	}
	defer func() {
		if recover() == nil {
			t.Error("a bad config was no reason to die")
		}
	}()
	metadata.NewForConfigOrDie(&rest.Config{Host: "::"})
}
