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
	// maxViewers is how many streams there may be at once.
	maxViewers = 32
	// writeTime is how long a viewer may take to read what was sent.
	writeTime = 10 * time.Second
	// quietTicks is after how many seconds without news a line is sent, so that a viewer that is gone is noticed.
	quietTicks = 15
)

// stream sends a view again whenever it has changed, until the viewer goes. It is the goroutine of the request that takes the
// samples: when nobody looks, nothing is done.
func (p *Page) stream(w http.ResponseWriter, r *http.Request, v *view, q query) {
	if p.viewers.Add(1) > maxViewers {
		p.viewers.Add(-1)
		http.Error(w, fmt.Sprintf("the console has %d viewers already", maxViewers), http.StatusServiceUnavailable)
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

// streamer is one viewer.
type streamer struct {
	page    *Page
	view    *view
	query   query
	out     http.ResponseWriter
	control *http.ResponseController

	began bool
	quiet int
	// last and next are renderings; the buffers take turns.
	last, next, frame bytes.Buffer
	// sampled is the time of the last sample that was sent.
	sampled time.Time
}

// send sends what is new. It is an error if the viewer is gone.
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
	// Not every ResponseWriter has deadlines.
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

// lineEnds are what ends a line of a server-sent event. To a browser they are all the same, as they are in HTML.
var lineEnds = strings.NewReplacer("\r\n", "\ndata: ", "\r", "\ndata: ", "\n", "\ndata: ")

// event writes a server-sent event.
func event(out *bytes.Buffer, name string, data []byte) {
	out.WriteString("event: ")
	out.WriteString(name)
	out.WriteString("\ndata: ")
	_, _ = lineEnds.WriteString(out, string(bytes.TrimRight(data, "\r\n"))) // a buffer takes everything
	out.WriteString("\n\n")
}
