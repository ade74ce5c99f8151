package kinds

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

const openAPIv2Proto = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// serveOpenAPIv2 answers with the recorded document. Custom kinds are in its JSON form only.
func (t *table) serveOpenAPIv2(w http.ResponseWriter, req *http.Request) {
	w.Header().Add("Vary", "Accept-Encoding")
	w.Header().Add("Vary", "Accept")
	// The @ is what clients say, though mime does not take it for a media type.
	header := strings.ReplaceAll(req.Header.Get("Accept"), "v2@v1.0", "v2.v1.0")
	for _, accept := range parseAccept(header) {
		switch {
		case accept.media == openAPIv2Proto:
			t.writeOpenAPIv2(w, req, "openapi/v2.pb", openAPIv2Proto)
			return
		case mediaType(accept.media) == jsonMedia:
			t.writeOpenAPIv2(w, req, "openapi/v2.json", jsonMedia)
			return
		}
	}
	w.WriteHeader(http.StatusNotAcceptable)
}

func (t *table) writeOpenAPIv2(w http.ResponseWriter, req *http.Request, name, media string) {
	doc := t.documents.get(name, func() []byte {
		body, _ := recorded().document(name)
		if media == jsonMedia && len(t.crds) > 0 {
			return t.addDefinitions(body)
		}
		return body
	})
	w.Header().Set("Content-Type", media)
	w.Header().Set("ETag", `"`+doc.etag+`"`)
	switch {
	case req.Header.Get("If-None-Match") == w.Header().Get("ETag"):
		w.WriteHeader(http.StatusNotModified)
	case media == jsonMedia && len(t.crds) > 0:
		_, _ = w.Write(doc.body)
	default:
		writeCompressed(w, req, name, doc.body)
	}
}

// addDefinitions puts the schemas of custom kinds before the recorded ones, without reading two megabytes.
func (t *table) addDefinitions(body []byte) []byte {
	marker := []byte(`"definitions":{`)
	at := bytes.Index(body, marker)
	if at < 0 {
		return body
	}
	at += len(marker)
	out := bytes.Clone(body[:at])
	for _, k := range t.kinds {
		if !k.Custom {
			continue
		}
		for name, s := range map[string]object{
			k.schemaName(k.Kind):            k.objectSchema(),
			k.schemaName(k.custom.listKind): k.listSchema(),
		} {
			downgrade(s)
			text, err := json.Marshal(object{name: s})
			if err != nil {
				continue
			}
			out = append(append(out, text[1:len(text)-1]...), ',')
		}
	}
	return append(out, body[at:]...)
}

// downgrade leaves out what OpenAPI v2 does not have.
func downgrade(s object) {
	for _, key := range []string{"default", "nullable", "anyOf", "oneOf", "not"} {
		delete(s, key)
	}
	if all, ok := s["allOf"].([]any); ok {
		delete(s, "allOf")
		if ref, ok := all[0].(object)["$ref"].(string); ok {
			s["$ref"] = ref
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		s["$ref"] = strings.Replace(ref, componentPrefix, "#/definitions/", 1)
	}
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		for _, key := range []string{"type", "properties", "required", "items", "additionalProperties"} {
			delete(s, key)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if sub, ok := s[key].(object); ok {
			downgrade(sub)
		}
	}
	if properties, ok := s["properties"].(object); ok {
		for _, p := range properties {
			if sub, ok := p.(object); ok {
				downgrade(sub)
			}
		}
	}
}
