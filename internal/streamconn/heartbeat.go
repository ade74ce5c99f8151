package streamconn

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Heartbeat pings the other end of a WebSocket. If no answer comes, reads of the connection end with a timeout.
//
// Its methods are called around what the owner of the connection does: BeforeRead and AfterRead around each read, and Writing and Wrote
// around each message, under the lock that keeps writers apart.
type Heartbeat struct {
	conn    *websocket.Conn
	timeout time.Duration

	mu sync.Mutex
	// started and finished count messages. A ping carries finished, and its answer proves that the peer has taken so many.
	started, finished uint64
	// armed says that the peer has taken all messages, so that silence means death.
	// Invariant: armed implies started == finished.
	armed bool
	// reading says that the owner waits for the peer. There are no pings while it does something else: answers could not be read, and
	// pings that a server has not read when it closes the connection make TCP drop the last of its data.
	reading bool

	pings   chan string // of the peer, to be answered
	stop    chan struct{}
	stopped chan struct{}
}

// NewHeartbeat begins to ping the other end of conn.
func NewHeartbeat(conn *websocket.Conn, period, timeout time.Duration) *Heartbeat {
	h := &Heartbeat{
		conn: conn, timeout: timeout, armed: true,
		pings: make(chan string, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	conn.SetPongHandler(func(message string) error { h.answered(message); return nil })
	// The reader must not wait for a peer that does not read.
	conn.SetPingHandler(func(message string) error {
		select {
		case h.pings <- message:
		default:
		}
		return nil
	})
	go h.run(period)
	return h
}

// Stop ends the pings, and returns when no goroutine pings any more. The connection must be closed.
func (h *Heartbeat) Stop() {
	close(h.stop)
	<-h.stopped
}

func (h *Heartbeat) run(period time.Duration) {
	defer close(h.stopped)
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		// No deadlines: the connection would be broken after one. If it is broken, its reader finds out.
		select {
		case <-h.stop:
			return
		case message := <-h.pings:
			_ = h.conn.WriteControl(websocket.PongMessage, []byte(message), time.Time{})
		case <-ticker.C:
			h.mu.Lock()
			reading, message := h.reading, strconv.FormatUint(h.finished, 10)
			h.mu.Unlock()
			if !reading {
				continue
			}
			_ = h.conn.WriteControl(websocket.PingMessage, []byte(message), time.Time{})
		}
	}
}

func (h *Heartbeat) answered(message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if taken, err := strconv.ParseUint(message, 10, 64); err == nil && taken == h.started {
		h.armed = true
	}
	h.extend()
}

// Lost returns the error of a connection whose reads ended with err.
func (h *Heartbeat) Lost(err error) error { return lost(h.Cause(err)) }

// Cause returns err, or that no ping was answered if reads ended with err for that reason.
func (h *Heartbeat) Cause(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return noAnswer(h.timeout)
	}
	return err
}

// BeforeRead allows the peer some time to send something.
func (h *Heartbeat) BeforeRead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reading = true
	h.extend()
}

// AfterRead notes that the owner does something else.
func (h *Heartbeat) AfterRead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reading = false
}

// Writing notes that a message begins. The peer may not take it for long, if its process does not read.
func (h *Heartbeat) Writing() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started++
	if h.armed {
		h.armed = false
		_ = h.conn.NetConn().SetReadDeadline(time.Time{})
	}
}

// Wrote notes that the message is sent.
func (h *Heartbeat) Wrote() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.finished++
}

func (h *Heartbeat) extend() {
	if h.armed {
		_ = h.conn.NetConn().SetReadDeadline(time.Now().Add(h.timeout))
	}
}
