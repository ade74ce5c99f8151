package streamconn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/moby/spdystream"
	"k8s.io/streaming/pkg/httpstream"
)

// SPDY is the client's end of a SPDY/3.1 connection. It implements httpstream.Connection.
type SPDY struct {
	wire *wire
	spdy *spdystream.Connection

	mu      sync.Mutex
	streams map[uint32]*stream // nil when closed

	sent    atomic.Uint64 // frames of data so far
	running sync.WaitGroup
	served  chan struct{} // closed when all that came was handled. Under mu, running is not zero before
}

// errClosed is what is read from streams after Close.
var errClosed = fmt.Errorf("stream connection: %w", net.ErrClosed)

// NewSPDY begins a SPDY connection on conn, which belongs to it from now on. With a period, it pings the peer, and closes the
// connection if the peer does not answer within the timeout.
func NewSPDY(conn net.Conn, period, timeout time.Duration) (*SPDY, error) {
	w := &wire{Conn: conn}
	spdy, err := spdystream.NewConnection(w, false)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c := &SPDY{wire: w, spdy: spdy, streams: map[uint32]*stream{}, served: make(chan struct{})}
	c.running.Go(func() {
		spdy.Serve(func(s *spdystream.Stream) { _ = s.Reset() }) // servers do not begin streams
		_ = w.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		close(c.served)
	})
	if period > 0 {
		c.running.Go(func() { c.ping(period, timeout) })
	}
	return c, nil
}

// createTimeout is how long the peer may take to accept a stream.
const createTimeout = 30 * time.Second

// CreateStream begins a stream and waits until the peer has accepted it.
func (c *SPDY) CreateStream(headers http.Header) (httpstream.Stream, error) {
	s, err := c.spdy.CreateStream(headers.Clone(), nil, false)
	if err != nil {
		if s != nil { // spdystream keeps it, and the peer may have answered by chance
			_ = s.Reset()
			c.abandon(s)
		}
		return nil, c.explain(err)
	}
	if err := c.accepted(s); err != nil {
		_ = s.Reset()
		return nil, err
	}
	own := &stream{Stream: s, conn: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == nil {
		_ = s.Reset()
		return nil, errClosed
	}
	c.streams[s.Identifier()] = own
	return own, nil
}

// accepted waits until the peer has accepted s. Wait of spdystream does not end with the connection, so it is called again and
// again.
func (c *SPDY) accepted(s *spdystream.Stream) error {
	for began := time.Now(); ; {
		switch err := s.WaitTimeout(acceptStep); {
		case err == nil:
			return nil
		case err != spdystream.ErrTimeout:
			return c.explain(err)
		}
		var failed error
		select {
		case <-c.spdy.CloseChan():
			failed = c.explain(errClosed)
		default:
			if time.Since(began) < createTimeout {
				continue
			}
			failed = fmt.Errorf("the server did not accept a stream within %v", createTimeout)
		}
		c.abandon(s)
		return failed
	}
}

const acceptStep = 20 * time.Millisecond

// abandon waits for the peer's answer in place of accepted: spdystream would block if it came and nothing waited.
func (c *SPDY) abandon(s *spdystream.Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.served:
		return
	default:
	}
	c.running.Go(func() {
		for s.WaitTimeout(acceptStep) == spdystream.ErrTimeout {
			select {
			case <-c.served:
				return
			default:
			}
		}
	})
}

// Close resets all streams and closes the connection. When it returns, no goroutine of the connection uses it any more.
func (c *SPDY) Close() error {
	c.wire.fail(errClosed)
	// A peer that does not read must not keep us from closing.
	_ = c.wire.SetWriteDeadline(time.Now().Add(closeTimeout))
	c.mu.Lock()
	streams := c.streams
	c.streams = nil
	c.mu.Unlock()
	for _, s := range streams {
		_ = s.Reset()
	}
	_ = c.spdy.Close()
	err := c.wire.Close()
	c.running.Wait()
	_ = c.spdy.Wait(closeTimeout)
	return err
}

// CloseChan returns a channel that is closed when the connection has ended.
func (c *SPDY) CloseChan() <-chan bool { return c.spdy.CloseChan() }

// SetIdleTimeout sets the time after which a connection that carries no frame is closed. Pings are frames.
func (c *SPDY) SetIdleTimeout(timeout time.Duration) { c.spdy.SetIdleTimeout(timeout) }

// RemoveStreams forgets streams that are done with, so that they need no memory.
func (c *SPDY) RemoveStreams(streams ...httpstream.Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range streams {
		if s != nil {
			delete(c.streams, s.Identifier())
		}
	}
}

// Err returns why the connection was lost. It is nil while the connection is in use, and if the peer ended it properly.
func (c *SPDY) Err() error {
	if failure := c.wire.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// explain returns why the connection was lost, or else err.
func (c *SPDY) explain(err error) error { return cmp.Or(c.Err(), err) }

// peerWorkers is the number of queues in which a peer that uses spdystream handles frames. A ping that was answered proves
// that one of them is not blocked, so as many are needed to prove it of all.
const peerWorkers = spdystream.FRAME_WORKERS

// ping pings the peer once in a period. A peer is dead if it does not answer within the timeout although it has taken all
// data, and although we read what it sends.
func (c *SPDY) ping(period, timeout time.Duration) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	answers, seen := 0, uint64(0)
	for {
		select {
		case <-c.spdy.CloseChan():
			return
		case <-ticker.C:
		}
		sent := c.sent.Load()
		if sent != seen {
			answers, seen = 0, sent
		}
		taken := sent == 0 || answers >= peerWorkers
		began := time.Now()
		answered := make(chan error, 1)
		go func() {
			_, err := c.spdy.Ping()
			answered <- err
		}()
		for waiting := true; waiting; {
			select {
			case err := <-answered:
				waiting = false
				if err == nil {
					answers++
				}
			case <-time.After(timeout):
				if taken && c.sent.Load() == sent && c.wire.silentSince(began) {
					c.wire.fail(lost(noAnswer(timeout)))
					_ = c.wire.Close()
				}
			}
		}
	}
}

func noAnswer(timeout time.Duration) error { return fmt.Errorf("no answer to pings for %v", timeout) }

// lost returns the error of a connection that ended with err.
func lost(err error) error { return fmt.Errorf("connection lost: %w", err) }

// stream is a stream of a SPDY connection.
type stream struct {
	*spdystream.Stream
	conn *SPDY
}

// Read reads data of the peer. If the connection was lost, the error says so; it is not io.EOF.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Stream.Read(p)
	if err == io.EOF {
		err = s.conn.explain(err)
	}
	return n, err
}

// maxData is the size of the largest frame of data. SPDY would allow 16 MiB, which would block other streams.
const maxData = 32 << 10

// Write sends data in frames of moderate size.
func (s *stream) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		frame := p[:min(len(p), maxData)]
		s.conn.sent.Add(1)
		m, err := s.Stream.Write(frame)
		n += m
		if err != nil {
			return n, s.conn.explain(err)
		}
		p = p[m:]
	}
	return n, nil
}

// wire is the connection below SPDY. It keeps the first error.
type wire struct {
	net.Conn
	failure atomic.Pointer[error]

	reading  atomic.Bool  // a Read waits for the peer
	lastRead atomic.Int64 // when it last returned

	closing  sync.Once
	closeErr error
}

func (w *wire) fail(err error) { w.failure.CompareAndSwap(nil, &err) }

func (w *wire) Read(p []byte) (int, error) {
	w.reading.Store(true)
	n, err := w.Conn.Read(p)
	w.lastRead.Store(time.Now().UnixNano())
	w.reading.Store(false)
	if err != nil {
		w.lost(err)
	}
	return n, err
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if err != nil { // a part of a frame may be sent, so that nothing can follow it
		w.lost(err)
		_ = w.Close()
	}
	return n, err
}

// lost keeps err as the reason for the end of the connection.
func (w *wire) lost(err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the peer did not take leave
	}
	w.fail(lost(err))
}

// silentSince reports whether we have waited for the peer since then, and nothing came.
func (w *wire) silentSince(t time.Time) bool {
	return w.reading.Load() && w.lastRead.Load() < t.UnixNano()
}

// Close closes the connection once; spdystream closes it a second time.
func (w *wire) Close() error {
	w.closing.Do(func() { w.closeErr = w.Conn.Close() })
	return w.closeErr
}
