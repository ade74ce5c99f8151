package metadata_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/metadata"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCBOR: the client reads metadata in CBOR, for which it asks behind protobuf, and falls back to whole objects.
func TestCBOR(t *testing.T) {
	for name, whole := range map[string]bool{"metadata": false, "whole objects": true} {
		t.Run(name, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{InProcess: true, CBOR: true, CreateNamespaces: true})
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", Labels: map[string]string{"app": "x"}}, Data: map[string]string{"k": "v"}}
			if _, err := server.Create(t.Context(), cm); err != nil {
				t.Fatal(err)
			}
			config := server.RESTConfig()
			config.AllowCBOR = true
			config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
				return roundTripFunc(func(r *http.Request) (*http.Response, error) {
					asked := strings.Split(r.Header.Get("Accept"), ",")
					if r.Method == http.MethodGet && (len(asked) != 4 || !strings.HasPrefix(asked[1], "application/cbor;as=PartialObjectMetadata")) {
						t.Errorf("the client asks for %q", asked)
					}
					r = r.Clone(r.Context())
					if r.Header.Set("Accept", "application/cbor"); !whole && len(asked) > 1 {
						r.Header.Set("Accept", asked[1])
					}
					resp, err := rt.RoundTrip(r)
					if err == nil && r.Method == http.MethodGet && resp.StatusCode == http.StatusOK && !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/cbor") {
						t.Errorf("the server sends %q", resp.Header.Get("Content-Type"))
					}
					return resp, err
				})
			})
			client, err := metadata.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			maps := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("ns")
			got, err := maps.Get(t.Context(), "a", metav1.GetOptions{})
			if err != nil || got.Name != "a" || got.Labels["app"] != "x" || got.UID == "" {
				t.Errorf("%+v, %v", got, err)
			}
			list, err := maps.List(t.Context(), metav1.ListOptions{})
			if err != nil || list.ResourceVersion == "" || len(list.Items) == 0 || list.Items[0].Labels["app"] != "x" {
				t.Fatalf("%+v, %v", list, err)
			}
			events, err := maps.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=a"})
			if err != nil {
				t.Fatal(err)
			}
			defer events.Stop()
			e := <-events.ResultChan()
			if m, ok := e.Object.(*metav1.PartialObjectMetadata); e.Type != watch.Added || !ok || m.Name != "a" {
				t.Errorf("%v %+v", e.Type, e.Object)
			}
			if _, err := maps.Get(t.Context(), "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("an error: %v", err)
			}
			if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}
