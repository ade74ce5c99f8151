package podserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vedette.dev/bench/pods"
)

// listVersion is the resource version of every list.
const listVersion = "5000000000"

type handler struct {
	count    int
	encoders map[pods.Encoding]*pods.Encoder
}

// NewHandler serves the first count pods at /api/v1/pods. Of the parameters it knows the limit, which cuts the list off.
func NewHandler(count int) (http.Handler, error) {
	h := &handler{count: count, encoders: map[pods.Encoding]*pods.Encoder{}}
	for _, e := range []pods.Encoding{pods.JSON, pods.Protobuf} {
		enc, err := pods.NewEncoder(e)
		if err != nil {
			return nil, err
		}
		h.encoders[e] = enc
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", h.list)
	return mux, nil
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	e, ok := accepted(r.Header.Get("Accept"))
	if !ok {
		http.Error(w, fmt.Sprintf("nothing in %q can be served", r.Header.Get("Accept")), http.StatusNotAcceptable)
		return
	}
	count, err := limited(h.count, r.FormValue("limit"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", e.ContentType())
	// An error means that the client has gone, and there is nobody to tell.
	_ = writeList(w, h.encoders[e], e, count)
}

// accepted is the first encoding in an Accept header that can be served.
func accepted(header string) (pods.Encoding, bool) {
	for part := range strings.SplitSeq(header, ",") {
		mediaType, _, _ := strings.Cut(part, ";")
		switch strings.TrimSpace(mediaType) {
		case pods.Protobuf.ContentType():
			return pods.Protobuf, true
		case pods.JSON.ContentType(), "*/*":
			return pods.JSON, true
		}
	}
	return 0, false
}

func limited(count int, limit string) (int, error) {
	if limit == "" {
		return count, nil
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("limit %q is not a number", limit)
	}
	if n == 0 {
		return count, nil
	}
	return min(n, count), nil
}
