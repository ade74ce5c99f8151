package kinds

import (
	"crypto/sha512"
	"fmt"
	"net/http"
	"sync"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// documents keeps what was made from a table: servers that serve the same share it.
type documents struct{ made sync.Map }

// document is text with a name by which a client can ask whether it has changed.
type document struct {
	body []byte
	etag string
}

func newDocument(body []byte) document {
	return document{body, fmt.Sprintf("%X", sha512.Sum512(body))}
}

// get makes a document at the first call. Two that come at once may both make it.
func (d *documents) get(name string, make func() []byte) document {
	if found, ok := d.made.Load(name); ok {
		return found.(document)
	}
	found, _ := d.made.LoadOrStore(name, newDocument(make()))
	return found.(document)
}

func (t *table) serveAggregated(w http.ResponseWriter, req *http.Request, root, accept string) {
	media := mediaType(accept)
	human := pretty(req) && media == jsonMedia
	doc := t.documents.get(fmt.Sprint(root, media, human), func() []byte {
		body, err := encode(media, t.aggregatedList(root), human)
		if err != nil {
			panic(fmt.Sprintf("kinds: discovery of %s cannot be encoded: %v", root, err))
		}
		return body
	})
	h := w.Header()
	h.Set("Cache-Control", "public")
	h.Add("Vary", "Accept")
	h.Set("ETag", `"`+doc.etag+`"`)
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", media+";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	_, _ = w.Write(doc.body)
}

// aggregatedList returns everything about the core group (root is "api") or all others ("apis").
func (t *table) aggregatedList(root string) *apidiscoveryv2.APIGroupDiscoveryList {
	list := &apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
	}
	for _, k := range t.kinds {
		if (k.Group == "") == (root == "api") {
			version := lastVersion(list, k)
			version.Resources = append(version.Resources, discovered(k))
		}
	}
	return list
}

// lastVersion is where k belongs: kinds of one version stand together in the table.
func lastVersion(list *apidiscoveryv2.APIGroupDiscoveryList, k *Kind) *apidiscoveryv2.APIVersionDiscovery {
	if n := len(list.Items); n == 0 || list.Items[n-1].Name != k.Group {
		list.Items = append(list.Items, apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: k.Group}})
	}
	group := &list.Items[len(list.Items)-1]
	if n := len(group.Versions); n == 0 || group.Versions[n-1].Version != k.Version {
		group.Versions = append(group.Versions, apidiscoveryv2.APIVersionDiscovery{
			Version: k.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent})
	}
	return &group.Versions[len(group.Versions)-1]
}

func discovered(k *Kind) apidiscoveryv2.APIResourceDiscovery {
	r := apidiscoveryv2.APIResourceDiscovery{
		Resource:         k.Plural,
		SingularResource: k.Singular,
		Scope:            apidiscoveryv2.ScopeCluster,
		ResponseKind:     discoveredKind(k, k.Kind),
		Verbs:            k.Verbs,
		ShortNames:       k.ShortNames,
		Categories:       k.Categories,
	}
	if k.Namespaced {
		r.Scope = apidiscoveryv2.ScopeNamespace
	}
	for _, s := range k.Subresources {
		kind := discoveredKind(k, s.Kind)
		if s.GroupVersion() != k.GroupVersion() {
			kind = &metav1.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
		}
		r.Subresources = append(r.Subresources, apidiscoveryv2.APISubresourceDiscovery{
			Subresource: s.Name, ResponseKind: kind, Verbs: s.Verbs})
	}
	return r
}

// discoveredKind leaves out group and version for built-in kinds, as the real server does.
func discoveredKind(k *Kind, kind string) *metav1.GroupVersionKind {
	if k.Custom {
		return &metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: kind}
	}
	return &metav1.GroupVersionKind{Kind: kind}
}
