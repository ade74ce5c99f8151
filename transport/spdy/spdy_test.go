package spdy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/streaming/pkg/httpstream"
	k8sspdy "k8s.io/streaming/pkg/httpstream/spdy"

	"vedette.dev/fence"
	"vedette.dev/internal/streamtest"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const protocol = "portforward.k8s.io"

func serve(t *testing.T) (*streamtest.Server, *url.URL) {
	t.Helper()
	s := streamtest.New(t)
	s.Forward = func(int, io.ReadWriteCloser) error { return nil }
	s.Start()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, u
}

// Connections of either kind of dialer carry streams, and end when they are closed.
func TestDialers(t *testing.T) {
	_, u := serve(t)
	rt, upgrader, err := RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: rt, Timeout: time.Minute} // with which http.Client hides the body
	for range 2 {                                               // a RoundTripper may be used again
		api, got, err := NewDialer(upgrader, client, http.MethodPost, u).Dial(protocol)
		if err != nil || got != protocol {
			t.Fatal(got, err)
		}
		streaming, got, err := NewDialerForStreaming(upgrader, client, http.MethodPost, u).Dial(protocol)
		if err != nil || got != protocol {
			t.Fatal(got, err)
		}
		s1, err := api.CreateStream(http.Header{"Port": {"1"}})
		if err != nil {
			t.Fatal(err)
		}
		s2, err := streaming.CreateStream(http.Header{"Port": {"1"}})
		if err != nil {
			t.Fatal(err)
		}
		api.RemoveStreams(s1, nil)
		streaming.RemoveStreams(s2, nil)
		if err := errors.Join(s1.Reset(), s2.Reset(), api.Close(), streaming.Close()); err != nil {
			t.Error(err)
		}
		<-api.CloseChan()
		<-streaming.CloseChan()
		if _, err := api.CreateStream(nil); err == nil {
			t.Error("a stream of a closed connection")
		}
	}
}

// A context, and the term in it, end with the request: a connection goes on.
func TestContextIsForTheRequest(t *testing.T) {
	_, u := serve(t)
	rt, upgrader, err := RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	term := fence.NewTerm("term", func() error { return nil })
	ctx, cancel := context.WithCancel(fence.With(t.Context(), term))
	d := NewDialer(upgrader, &http.Client{Transport: rt}, http.MethodPost, u).(*dialer)
	conn, _, err := d.DialContext(ctx, protocol)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	term.End(errors.New("over"))
	time.Sleep(20 * time.Millisecond)
	s, err := conn.CreateStream(http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Reset()
	if _, _, err := d.DialContext(ctx, protocol); err == nil {
		t.Error("a connection after the term")
	}
}

// An Upgrader of k8s.io/streaming can be used.
func TestUpgraderForStreaming(t *testing.T) {
	_, u := serve(t)
	other, err := k8sspdy.NewRoundTripper(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDialerForStreaming(NewUpgraderForStreaming(other), &http.Client{Transport: other}, http.MethodPost, u)
	conn, got, err := d.Dial(protocol)
	if err != nil || got != protocol {
		t.Fatal(got, err)
	}
	closed := conn.CloseChan()
	_ = conn.Close()
	<-closed
	time.Sleep(50 * time.Millisecond) // its goroutines end later
}

// A response is for one connection, and a connection that is not taken ends with the response.
func TestMisuse(t *testing.T) {
	_, u := serve(t)
	rt, upgrader, err := RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	request := func() *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(httpstream.HeaderProtocolVersion, protocol)
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	resp := request()
	conn, err := upgrader.NewConnection(resp)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upgrader.NewConnection(resp); err == nil || !strings.Contains(err.Error(), "was used before") {
		t.Errorf("error %v", err)
	}
	_ = resp.Body.Close()
	if s, err := conn.CreateStream(http.Header{}); err != nil { // the body is not the connection any more
		t.Error(err)
	} else {
		_ = s.Reset()
	}
	_ = conn.Close()

	_ = request().Body.Close()

	if _, err := upgrader.NewConnection(&http.Response{Status: "200 OK", StatusCode: 200, Body: http.NoBody}); err == nil {
		t.Error("200 is no upgrade")
	}
	if _, _, err := NewDialer(nil, nil, "", nil).Dial(); err == nil {
		t.Error("a dialer of nothing")
	}
	if _, _, err := RoundTripperFor(nil); err == nil {
		t.Error("no configuration")
	}
}

// A server that answers with something else than SPDY.
func TestOtherUpgrade(t *testing.T) {
	s := streamtest.New(t)
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "other")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return true
	}
	s.Start()
	u, _ := url.Parse(s.URL)
	rt, upgrader, err := RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = NewDialer(upgrader, &http.Client{Transport: rt}, http.MethodPost, u).Dial(protocol)
	if err == nil || !strings.Contains(err.Error(), "unable to upgrade connection: 101 Switching Protocols") {
		t.Errorf("error %v", err)
	}
}
