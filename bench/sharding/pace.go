package sharding

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync"

	"vedette.dev/apitest"
)

// pace is a watch that the server has on itself. Who writes waits for it, so that changes come as fast as the server can send
// them and no faster: otherwise what is measured is how far a watch is behind within the server. The reader does nothing with
// what it reads, so it never delays the server. The informers have watches of their own.
type pace struct {
	body io.Closer
	done sync.WaitGroup

	mu    sync.Mutex
	moved *sync.Cond // something was sent, or the watch has ended
	// written is how many changes were made, and sent how many of them have come.
	written, sent int
	ended         bool
}

// ahead is how many changes may be on their way.
const ahead = 64

func (s *server) pace() (*pace, error) {
	req, err := http.NewRequest(http.MethodGet, s.URL()+"/api/v1/pods?watch=true&resourceVersion="+s.ResourceVersion(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	req.Header.Set("Accept", protobuf)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("watch to keep pace: %s", resp.Status)
	}
	p := &pace{body: resp.Body}
	p.moved = sync.NewCond(&p.mu)
	p.done.Go(func() { p.read(resp.Body) })
	return p, nil
}

// read counts frames, each of which has its length before it.
func (p *pace) read(body io.Reader) {
	r := bufio.NewReaderSize(body, 64<<10)
	for {
		var length [4]byte
		_, err := io.ReadFull(r, length[:])
		if err == nil {
			_, err = io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint32(length[:])))
		}
		p.mu.Lock()
		p.sent++
		p.ended = err != nil
		p.moved.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wrote counts a change.
func (p *pace) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written++
}

// wait waits until enough of what was written was sent.
func (p *pace) wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.written-p.sent > ahead && !p.ended {
		p.moved.Wait()
	}
	if p.ended {
		return fmt.Errorf("the watch that keeps pace ended after %d changes", p.sent)
	}
	return nil
}

func (p *pace) stop() {
	_ = p.body.Close()
	p.done.Wait()
}
