package podserver

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vedette.dev/bench/pods"
)

type handler struct {
	cluster  *cluster
	encoders map[pods.Encoding]*pods.Encoder
}

// NewHandler serves the first count pods at /api/v1/pods: lists, in pages or not, and watches, with initial events or not.
func NewHandler(count int) (http.Handler, error) {
	h, err := newHandler(count)
	if err != nil {
		return nil, err
	}
	return h.mux(), nil
}

func newHandler(count int) (*handler, error) {
	h := &handler{cluster: newCluster(count), encoders: map[pods.Encoding]*pods.Encoder{}}
	for _, e := range []pods.Encoding{pods.JSON, pods.Protobuf} {
		enc, err := pods.NewEncoder(e)
		if err != nil {
			return nil, err
		}
		h.encoders[e] = enc
	}
	return h, nil
}

func (h *handler) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", h.serve)
	return mux
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	e, ok := accepted(r.Header.Get("Accept"))
	if !ok {
		http.Error(w, fmt.Sprintf("nothing in %q can be served", r.Header.Get("Accept")), http.StatusNotAcceptable)
		return
	}
	if watch := r.FormValue("watch"); watch == "true" || watch == "1" {
		h.watch(w, r, e)
		return
	}
	h.list(w, r, e)
}

func (h *handler) list(w http.ResponseWriter, r *http.Request, e pods.Encoding) {
	h.cluster.count(&h.cluster.lists)
	page, err := h.page(r.FormValue("limit"), r.FormValue("continue"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", e.ContentType())
	// An error means that the client has gone.
	_ = writeList(w, h.encoders[e], e, page)
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

// page is a part of a list. What follows is where the next one begins, or 0.
type page struct {
	listing
	begin, end, next int
}

// page finds what a request asks for. A list in pages is as it was when its first page was sent.
func (h *handler) page(limit, token string) (page, error) {
	var p page
	if token == "" {
		p.listing = h.cluster.snapshot()
	} else {
		var err error
		if p.listing, p.begin, err = h.cluster.resume(token); err != nil {
			return p, err
		}
	}
	p.end = len(p.pods)
	if limit == "" || limit == "0" {
		return p, nil
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 0 {
		return p, fmt.Errorf("limit %q is not a number", limit)
	}
	if p.begin+n < p.end {
		p.end, p.next = p.begin+n, p.begin+n
		h.cluster.keep(p.listing)
	}
	return p, nil
}

func (p *page) token() string {
	if p.next == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", p.position, p.next)
}

func (c *cluster) keep(l listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed = l
}

func (c *cluster) resume(token string) (listing, int, error) {
	var position, begin int
	if _, err := fmt.Sscanf(token, "%d.%d", &position, &begin); err != nil {
		return listing{}, 0, fmt.Errorf("the token %q is none of ours", token)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed.position != position || begin < 0 || begin > len(c.listed.pods) {
		return listing{}, 0, errors.New("the list is too old")
	}
	return c.listed, begin, nil
}
