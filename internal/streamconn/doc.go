// Package streamconn has what exec, attach and port-forward have in common: connections that were upgraded from HTTP, and
// that carry several streams.
//
//	SPDY       a connection of streams over any net.Conn
//	Heartbeat  finds out that the other end of a WebSocket has gone
//	Refused    the error of a server that does not upgrade a connection
//
// # Connections that die
//
// A peer that ends properly says so: SPDY with GOAWAY, WebSocket with a close frame. All else is an error, which Err returns, and
// which readers of streams get instead of io.EOF. Where not even TCP says anything (a cable was pulled), a peer is dead if it does
// not answer pings within AnswerTimeout.
//
// Silence alone proves nothing: neither protocol has flow control for each stream, so that a peer whose process does not read its
// stdin reads no pings either. Pings are therefore waited for only while the peer is known to have taken all that it was sent. A
// connection that dies while the peer holds data back ends when TCP gives up, which on Linux takes about a quarter of an hour.
package streamconn

import "time"

// Period is how often the other end of a connection is pinged, and AnswerTimeout how long it may take to answer.
const (
	Period        = 5 * time.Second
	AnswerTimeout = 61 * time.Second
)

// closeTimeout is how long closing a connection may take if the peer does not read.
const closeTimeout = 250 * time.Millisecond
