package streamconn

import (
	"net/http"

	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"
)

// The interfaces Stream of the two httpstream packages have the same methods, so a stream of one is a stream of the other. Their
// interfaces Connection have not, because they mention Stream.

// ForAPI returns c with the types of k8s.io/apimachinery.
func ForAPI(c httpstream.Connection) apistream.Connection {
	if c == nil {
		return nil
	}
	if a, ok := c.(streamingConn); ok {
		return a.Connection
	}
	return apiConn{c}
}

// ForStreaming returns c with the types of k8s.io/streaming.
func ForStreaming(c apistream.Connection) httpstream.Connection {
	if c == nil {
		return nil
	}
	if a, ok := c.(apiConn); ok {
		return a.Connection
	}
	return streamingConn{c}
}

// Err returns why a connection ended, nil if it ended properly, or if c cannot tell.
func Err(c any) error {
	switch c := c.(type) {
	case apiConn:
		return Err(c.Connection)
	case streamingConn:
		return Err(c.Connection)
	case interface{ Err() error }:
		return c.Err()
	}
	return nil
}

type apiConn struct{ httpstream.Connection }

func (a apiConn) CreateStream(headers http.Header) (apistream.Stream, error) {
	s, err := a.Connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (a apiConn) RemoveStreams(streams ...apistream.Stream) {
	own := make([]httpstream.Stream, len(streams))
	for i, s := range streams {
		own[i] = s
	}
	a.Connection.RemoveStreams(own...)
}

type streamingConn struct{ apistream.Connection }

func (a streamingConn) CreateStream(headers http.Header) (httpstream.Stream, error) {
	s, err := a.Connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (a streamingConn) RemoveStreams(streams ...httpstream.Stream) {
	own := make([]apistream.Stream, len(streams))
	for i, s := range streams {
		own[i] = s
	}
	a.Connection.RemoveStreams(own...)
}

var (
	_ apistream.Connection  = apiConn{}
	_ httpstream.Connection = streamingConn{}
	_ httpstream.Connection = (*SPDY)(nil)
)
