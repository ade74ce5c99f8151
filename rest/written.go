package rest

import (
	"context"
	"net/http"
	"strings"

	"vedette.dev/internal/written"
)

// wrote records an object that was written, if the context has a function for that. A deletion has no version of its own.
func (r *Request) wrote(ctx context.Context, result *Result) {
	record := written.From(ctx)
	if record == nil || result.err != nil || r.resource == "" {
		return
	}
	switch r.verb {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
	default:
		return
	}
	raw, ok := result.object()
	if !ok {
		return
	}
	if m, err := raw.Meta(); err == nil && m.Name != "" && m.ResourceVersion != "" {
		record(written.Write{Group: r.group(), Resource: r.resource, Namespace: m.Namespace, Name: m.Name, Version: m.ResourceVersion})
	}
}

// object returns the object that is the response.
func (r *Result) object() (Raw, bool) {
	e, ok := r.encoding()
	if e == Protobuf {
		raw, err := protobufRaw(r.body)
		return raw, err == nil
	}
	return Raw{Encoding: e, Bytes: r.body}, ok
}

// group returns the API group of the path of the request.
func (r *Request) group() string {
	_, path, ok := strings.Cut(r.URL().Path, "/apis/")
	if !ok {
		return ""
	}
	group, _, _ := strings.Cut(path, "/")
	return group
}
