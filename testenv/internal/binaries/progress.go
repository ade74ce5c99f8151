package binaries

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const unknown = -1

// progress reports the progress of a build. On a terminal one line is rewritten, elsewhere there is a new one from time
// to time.
type progress struct {
	out      io.Writer
	terminal bool
	every    time.Duration

	mu       sync.Mutex
	began    time.Time
	modules  int
	packages int
	total    int // of packages, or unknown

	stop, stopped chan struct{}
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, every: 15 * time.Second}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal, p.every = true, time.Second
		}
	}
	return p
}

// say writes a permanent line.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(fmt.Sprintf(format, args...) + "\n")
}

// write begins on a clean line. The caller holds mu.
func (p *progress) write(text string) {
	start := ""
	if p.terminal {
		start = "\r\x1b[K"
	}
	// A failure to report progress is ignored.
	_, _ = io.WriteString(p.out, start+"testenv: "+text)
}

// begin announces a build, and reports its progress until end.
func (p *progress) begin(format string, args ...any) {
	p.say(format, args...)
	p.mu.Lock()
	p.began, p.modules, p.packages, p.total = time.Now(), 0, 0, unknown
	p.mu.Unlock()
	p.stop, p.stopped = make(chan struct{}), make(chan struct{})
	go p.tell()
}

func (p *progress) tell() {
	defer close(p.stopped)
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.status()
		}
	}
}

func (p *progress) status() {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := "\n"
	if p.terminal {
		end = ""
	}
	p.write(p.text() + end)
}

// text describes the state. The caller holds mu.
func (p *progress) text() string {
	text := fmt.Sprintf("%4.0f s", time.Since(p.began).Seconds())
	if p.modules > 0 {
		text += fmt.Sprintf(", modules downloaded: %d", p.modules)
	}
	switch {
	case p.total == unknown:
		text += ", looking what there is to compile"
	case p.packages >= p.total:
		text += fmt.Sprintf(", packages compiled: all %d, linking", p.total)
	default:
		text += fmt.Sprintf(", packages compiled: %d of %d", p.packages, p.total)
	}
	return text
}

func (p *progress) end(err error) {
	close(p.stop)
	<-p.stopped
	took := time.Since(p.began).Round(time.Second)
	if err != nil {
		p.say("gave up building after %v", took)
		return
	}
	p.say("built in %v", took)
}

func (p *progress) expect(packages int) { p.count(func() { p.total = packages }) }
func (p *progress) downloaded()         { p.count(func() { p.modules++ }) }
func (p *progress) compiled()           { p.count(func() { p.packages++ }) }

func (p *progress) count(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}
