package podserver

import (
	"io"

	"vedette.dev/bench/internal/subprocess"
)

// Order is a command to a server. At most one of the fields is set; if none is, it only reports.
type Order struct {
	Update *Update `json:",omitempty"`
	// KeepOneIn has all pods deleted whose number is not divisible by it.
	KeepOneIn int `json:",omitempty"`
	// ExpireOneIn ends all watches with 410. One pod in so many has changed meanwhile, and as many are gone.
	ExpireOneIn int `json:",omitempty"`
	// Touch changes pod 0, when a watch that began after the last expiry has sent all there was.
	Touch bool `json:",omitempty"`
}

// Update has pods changed, in the order of [Spread].
type Update struct {
	Events int
	// Rate is how many there are in a second. Zero means that all come at once, and are sent as fast as the client reads.
	Rate int
	// Ahead, together with a rate, is how many changes may wait for a watch that does not read them fast enough. What does not
	// fit into the time is left out. Zero means any number.
	Ahead int
	// Times asks for those of the events.
	Times bool
}

// Report is what a server has done.
type Report struct {
	// Changes is the number of the last change.
	Changes int
	// Asked is when the first request after the last expiry came, in nanoseconds.
	Asked int64
	// Lists is how many lists were asked for, a page each, and Streams how many watches that begin with all pods.
	Lists, Streams int
	// Times is when each event of an update came, if that was asked for.
	Times []int64 `json:",omitempty"`
}

// Tell has the server do something, and returns when it has.
func (p *Process) Tell(o Order) (Report, error) {
	var r Report
	err := p.Process.Tell(o, &r)
	return r, err
}

func (c *cluster) serve(url string, in io.Reader, out io.Writer) error {
	return subprocess.Serve(url, in, out, c.do)
}

func (c *cluster) do(o Order) (Report, error) {
	var r Report
	var err error
	switch {
	case o.Update != nil:
		r.Times = c.update(*o.Update)
	case o.KeepOneIn > 0:
		c.remove(o.KeepOneIn)
	case o.ExpireOneIn > 0:
		c.expire(o.ExpireOneIn)
	case o.Touch:
		err = c.touch()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Changes, r.Lists, r.Streams = len(c.log), c.lists, c.streams
	r.Asked = c.asked.UnixNano()
	return r, err
}
