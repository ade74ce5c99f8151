package podserver

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vedette.dev/bench/pods"
)

// watch serves a watch until the client goes or the watch expires.
func (h *handler) watch(w http.ResponseWriter, r *http.Request, e pods.Encoding) {
	f := newFrames(w, h.encoders[e], e)
	position, epoch, ok := h.cluster.begin(r.FormValue("resourceVersion"))
	if !ok {
		http.Error(w, "the resource version is none of ours", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", f.contentType())
	ctx := r.Context()
	defer context.AfterFunc(ctx, h.cluster.wake)()
	if r.FormValue("sendInitialEvents") == "true" {
		h.cluster.count(&h.cluster.streams)
		list := h.cluster.snapshot()
		f.initial(list)
		position = list.position
	}
	for f.sent() == nil {
		part, err := h.cluster.since(ctx, position, epoch)
		switch {
		case errors.Is(err, errExpired):
			f.expired()
			_ = f.sent()
			return
		case err != nil:
			return
		}
		for _, c := range part {
			position++
			f.change(c, position)
		}
	}
}

// begin is where a watch begins, and in which epoch.
func (c *cluster) begin(from string) (position, epoch int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ask()
	if from == "" || from == "0" {
		return len(c.log), c.epoch, true
	}
	n, err := strconv.ParseInt(from, 10, 64)
	position = int(n - pods.ListVersion)
	return position, c.epoch, err == nil && position >= 0 && position <= len(c.log)
}

// wake has all watches look whether they should end.
func (c *cluster) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved.Broadcast()
}

var errExpired = errors.New("the watch has expired")

// partSize is how many changes a watch takes at once.
const partSize = 64

// since waits for changes after a position, and returns the next of them.
func (c *cluster) since(ctx context.Context, position, epoch int) ([]change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reached = position
	for {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case position < c.oldest:
			return nil, errExpired
		case position < len(c.log):
			return c.log[position:min(position+partSize, len(c.log))], nil
		case c.idle < epoch:
			c.idle = epoch
			c.moved.Broadcast()
		}
		c.moved.Wait()
	}
}
