//go:build !vedette_noconsole

package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// maxViewers is the maximum number of concurrent streams.
	maxViewers = 32
	// writeTime is how long a viewer may take to read what was sent.
	writeTime = 10 * time.Second
	// quietTicks is the number of seconds without changes after which a comment is sent, to detect viewers that have
	// gone.
	quietTicks = 15
)

// stream sends a view whenever it has changed, until the viewer disconnects. The goroutine of the request takes the
// samples: without viewers nothing is done.
func (p *Page) stream(w http.ResponseWriter, r *http.Request, v *view, q query) {
	if p.viewers.Add(1) > maxViewers {
		p.viewers.Add(-1)
		http.Error(w, fmt.Sprintf("the console already has %d viewers", maxViewers), http.StatusServiceUnavailable)
		return
	}
	defer func() {
		if p.viewers.Add(-1) == 0 {
			p.changes.clear()
		}
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	s := &streamer{page: p, view: v, query: q, out: w, control: http.NewResponseController(w)}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for s.send() == nil {
		select {
		case <-r.Context().Done():
			return
		case <-p.closed:
			return
		case <-ticker.C:
		}
	}
}

// streamer is the stream of one viewer.
type streamer struct {
	page    *Page
	view    *view
	query   query
	out     http.ResponseWriter
	control *http.ResponseController

	began bool
	quiet int
	// last and next are renderings; the buffers are swapped.
	last, next, frame bytes.Buffer
	// sampled is the time of the last sample that was sent.
	sampled time.Time
}

// send sends what has changed. It returns an error if the viewer has disconnected.
func (s *streamer) send() error {
	s.frame.Reset()
	if !s.began {
		s.began = true
		s.frame.WriteString("retry: 2000\n\n")
	}
	s.next.Reset()
	s.page.render(&s.next, s.view, s.query, "body")
	if !bytes.Equal(s.next.Bytes(), s.last.Bytes()) {
		s.last, s.next = s.next, s.last
		event(&s.frame, "view", s.last.Bytes())
	}
	if s.view.samples {
		if err := s.samples(); err != nil {
			return err
		}
	}
	if s.frame.Len() == 0 {
		if s.quiet++; s.quiet < quietTicks {
			return nil
		}
		s.frame.WriteString(": still here\n\n")
	}
	s.quiet = 0
	// Not every ResponseWriter supports deadlines.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime))
	if _, err := s.out.Write(s.frame.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}

func (s *streamer) samples() error {
	h, newest := s.page.sampler.history(s.sampled)
	if len(h.Times) == 0 {
		return nil
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	name := "sample"
	if s.sampled.IsZero() {
		name = "history"
	}
	s.sampled = newest
	event(&s.frame, name, text)
	return nil
}

// lineEnds are the line endings of server-sent events. Browsers treat them all alike, in HTML too.
var lineEnds = strings.NewReplacer("\r\n", "\ndata: ", "\r", "\ndata: ", "\n", "\ndata: ")

// event writes a server-sent event.
func event(out *bytes.Buffer, name string, data []byte) {
	out.WriteString("event: ")
	out.WriteString(name)
	out.WriteString("\ndata: ")
	_, _ = lineEnds.WriteString(out, string(bytes.TrimRight(data, "\r\n"))) // writes to a buffer do not fail
	out.WriteString("\n\n")
}
