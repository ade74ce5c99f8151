package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

var podCodecs = func() runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(scheme).WithoutConversion()
}()

// script is a server in the place of a connection: requests wait until the scenario answers them.
type script struct {
	t     *testing.T
	began time.Time
	store *heardStore

	mu    sync.Mutex
	lines strings.Builder
	asked *asked     // the request that waits
	away  bool       // the server does not listen
	watch *heardBody // the watch that is open
}

type asked struct {
	watch  bool
	answer chan any // *http.Response or error
}

func newScript(t *testing.T) *script {
	s := &script{t: t, began: time.Now()}
	s.store = &heardStore{Store: NewStore(MetaNamespaceKeyFunc), s: s}
	return s
}

// resync is the period that a scenario asks for.
func (s *script) resync(acts []*act) time.Duration {
	for _, line := range acts[0].server {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "resync" {
			d, err := time.ParseDuration(words[1])
			mustNot(s.t, err)
			return d
		}
	}
	return 0
}

func (s *script) hear(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.lines, "%-6v %s\n", time.Since(s.began), fmt.Sprintf(format, args...))
}

// said returns what was heard since it was last called.
func (s *script) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.lines.Reset()
	return s.lines.String()
}

// RoundTrip writes a request down and waits for its answer.
func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	a := &asked{watch: query.Get("watch") != "", answer: make(chan any, 1)}
	s.hear("%s", describeRequest(query))
	s.mu.Lock()
	s.asked = a
	away := s.away
	s.mu.Unlock()
	if away {
		return nil, errRefused
	}
	select {
	case answer := <-a.answer:
		if err, ok := answer.(error); ok {
			return nil, err
		}
		resp := answer.(*http.Response)
		resp.Request = req
		return resp, nil
	case <-req.Context().Done():
		s.hear("hung up before the answer")
		return nil, req.Context().Err()
	}
}

func describeRequest(q url.Values) string {
	what := "list"
	switch {
	case q.Get("sendInitialEvents") == "true" && q.Get("resourceVersionMatch") == "NotOlderThan":
		what = "stream"
	case q.Get("watch") != "":
		what = "watch"
	}
	text := fmt.Sprintf("%s version=%q", what, q.Get("resourceVersion"))
	for _, option := range []string{"limit", "continue", "timeoutSeconds"} {
		if q.Get(option) != "" {
			text += fmt.Sprintf(" %s=%s", option, q.Get(option))
		}
	}
	if what != "list" && q.Get("allowWatchBookmarks") != "true" {
		text += " without bookmarks"
	}
	return text
}

// take returns the request that waits.
func (s *script) take(watch bool) (*asked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asked
	if a == nil || a.watch != watch {
		return nil, errNotAsked
	}
	s.asked = nil
	return a, nil
}

// do does a line of a scenario.
func (s *script) do(words []string) error {
	switch words[0] {
	case "list", "watch":
		return s.reply(words)
	case "advance":
		d, err := time.ParseDuration(words[1])
		time.Sleep(d)
		return err
	case "away":
		s.setAway(true)
		defer s.setAway(false)
		return s.do([]string{"advance", words[1]})
	case "close":
		return s.watch.end(nil)
	case "cut":
		return s.watch.end(io.ErrUnexpectedEOF)
	}
	data, err := eventJSON(words)
	if err != nil {
		return err
	}
	if s.watch == nil {
		return errNotAsked
	}
	_, err = s.watch.writer.Write(append(data, '\n'))
	return err
}

func (s *script) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

func (s *script) reply(words []string) error {
	a, err := s.take(words[0] == "watch")
	if err != nil {
		return err
	}
	switch {
	case len(words) > 1 && words[1] == "error":
		a.answer <- errorAnswer(words[2:])
	case a.watch:
		reader, writer := io.Pipe()
		s.watch = &heardBody{PipeReader: reader, writer: writer, s: s}
		a.answer <- jsonAnswer(http.StatusOK, s.watch)
	default:
		data, err := json.Marshal(listOf(words[1:]))
		if err != nil {
			return err
		}
		a.answer <- jsonAnswer(http.StatusOK, io.NopCloser(bytes.NewReader(data)))
	}
	return nil
}

func jsonAnswer(code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body,
	}
}

// heardBody records that the client has closed the body.
type heardBody struct {
	*io.PipeReader
	writer *io.PipeWriter
	s      *script
	once   sync.Once
}

func (b *heardBody) Close() error {
	b.once.Do(func() { b.s.hear("hung up") })
	return b.PipeReader.Close()
}

// end is the end of the watch on the part of the server.
func (b *heardBody) end(err error) error {
	b.once.Do(func() {})
	return b.writer.CloseWithError(err)
}
