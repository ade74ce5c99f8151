package gentype_test

import (
	"net/http"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/gentype"
)

// sprocket has no DeepCopy.
type sprocket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Teeth int64  `json:"teeth"`
		Oil   []byte `json:"oil,omitempty"`
	} `json:"spec"`
}

type sniffer func(*http.Request) (*http.Response, error)

func (f sniffer) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCustomInCBOR does what a client for a plain struct can, in CBOR.
func TestCustomInCBOR(t *testing.T) {
	server := apitest.New(t, apitest.Config{
		InProcess: true, CBOR: true, CreateNamespaces: true,
		Kinds: []apitest.Kind{{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Sprocket"}, Namespaced: true}},
	})
	config := server.RESTConfig()
	config.PreferCBOR = true
	var sent, got []string
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return sniffer(func(r *http.Request) (*http.Response, error) {
			resp, err := rt.RoundTrip(r)
			if r.Body != nil {
				sent = append(sent, r.Header.Get("Content-Type"))
			}
			if err == nil {
				got = append(got, resp.Header.Get("Content-Type"))
			}
			return resp, err
		})
	})
	client, err := gentype.NewForConfig[sprocket](config, gentype.Resource{Group: "example.com", Version: "v1", Kind: "Sprocket", Plural: "sprockets"})
	if err != nil {
		t.Fatal(err)
	}
	all, ctx := client.In("ns"), t.Context()
	s := &sprocket{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	s.Spec.Teeth, s.Spec.Oil = 1, []byte{0, 1, 2}
	check := func(what string, s *sprocket, err error, teeth int64) {
		t.Helper()
		if err != nil || s.Name != "a" || s.Spec.Teeth != teeth || string(s.Spec.Oil) != "\x00\x01\x02" || s.Kind != "Sprocket" {
			t.Fatalf("%s: %+v, %v", what, s, err)
		}
	}
	s, err = all.Create(ctx, s, metav1.CreateOptions{})
	check("create", s, err, 1)
	s.Spec.Teeth = 2
	s, err = all.Update(ctx, s, metav1.UpdateOptions{})
	check("update", s, err, 2)
	s, err = all.Get(ctx, "a", metav1.GetOptions{})
	check("get", s, err, 2)
	s, err = all.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"teeth":3}}`), metav1.PatchOptions{})
	check("patch", s, err, 3)
	apply := &sprocket{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	apply.Spec.Teeth = 4
	s, err = all.Apply(ctx, apply, metav1.ApplyOptions{FieldManager: "m", Force: true})
	check("apply", s, err, 4)
	list, err := all.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.ResourceVersion == "" {
		t.Fatalf("%+v, %v", list, err)
	}
	check("list", &list.Items[0], nil, 4)
	for e, err := range all.Watch(ctx, metav1.ListOptions{}) {
		if e.Type != watch.Added {
			t.Errorf("%v", e.Type)
		}
		check("watch", e.Object, err, 4)
		break
	}
	if err := all.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	const cbor = "application/cbor"
	if want := []string{cbor, cbor, "application/merge-patch+json", "application/apply-patch+cbor", cbor}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if want := []string{cbor, cbor, cbor, cbor, cbor, cbor, "application/cbor-seq", cbor}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
