package kinds

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// OpenAPI is the OpenAPI v3 document of a version, as JSON: recorded for built-in kinds, made from their schemas for custom
// ones. It is shared and must not be changed.
func (r *Registry) OpenAPI(gv schema.GroupVersion) ([]byte, bool) {
	doc, ok := r.current.Load().openAPIv3(pathOf(gv))
	return doc.body, ok
}

// openAPIv3 takes a path as in the index: "apis/apps/v1".
func (t *table) openAPIv3(path string) (document, bool) {
	if body, ok := recorded().document("openapi/v3/" + path + ".json"); ok {
		return document{body, recordedHashes()[path]}, true
	}
	gv, ok := t.customVersion(path)
	if !ok {
		return document{}, false
	}
	return t.documents.get("openapi/v3/"+path, func() []byte { return t.customOpenAPIv3(gv) }), true
}

// openAPIIndex says where each document is, and by a hash whether it is still the same.
type openAPIIndex struct {
	Paths map[string]openAPIPath `json:"paths"`
}

type openAPIPath struct {
	ServerRelativeURL string `json:"serverRelativeURL"`
}

func (t *table) openAPIIndex() []byte {
	index := openAPIIndex{Paths: map[string]openAPIPath{}}
	for path, hash := range recordedHashes() {
		index.Paths[path] = openAPIPath{hashed(path, hash)}
	}
	for _, gv := range t.groupVersions() {
		if _, builtin := index.Paths[pathOf(gv)]; builtin {
			continue
		}
		if doc, ok := t.openAPIv3(pathOf(gv)); ok {
			index.Paths[pathOf(gv)] = openAPIPath{hashed(pathOf(gv), doc.etag)}
		}
	}
	body, err := json.Marshal(index)
	if err != nil {
		panic(err) // only strings
	}
	return body
}

func hashed(path, hash string) string {
	return "/openapi/v3/" + path + "?hash=" + url.QueryEscape(hash)
}

func (t *table) serveOpenAPI(w http.ResponseWriter, req *http.Request, parts []string) {
	switch {
	case parts[0] == "v2":
		t.serveOpenAPIv2(w, req)
	case len(parts) == 1:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // sic
		_, _ = w.Write(t.documents.get("openapi/v3", t.openAPIIndex).body)
	default:
		t.serveOpenAPIv3(w, req, strings.Join(parts[1:], "/"))
	}
}

func (t *table) serveOpenAPIv3(w http.ResponseWriter, req *http.Request, path string) {
	doc, ok := t.openAPIv3(path)
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		return
	case !wantsJSON(req):
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", jsonMedia)
	h.Set("ETag", `"`+doc.etag+`"`)
	h.Add("Vary", "Accept")
	if hash := req.URL.Query().Get("hash"); hash != "" && hash != doc.etag {
		h.Set("Location", hashed(path, doc.etag))
		w.WriteHeader(http.StatusMovedPermanently)
		return
	} else if hash != "" {
		// The address changes with the document, so clients may keep it for good.
		h.Set("Cache-Control", "public, immutable")
		h.Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeCompressed(w, req, "openapi/v3/"+path+".json", doc.body)
}

func wantsJSON(req *http.Request) bool {
	for _, accept := range parseAccept(req.Header.Get("Accept")) {
		if mediaType(accept.media) == jsonMedia {
			return true
		}
	}
	return false
}
