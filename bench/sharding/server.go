package sharding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/bench/internal/subprocess"
)

// Command is the first argument of a process that is a server.
const Command = "serve-shards"

// spec says what a server has.
type spec struct {
	// Objects is how many pods there are, and Realistic that they are as those of a real cluster are. Otherwise they are small,
	// and spread evenly over Namespaces.
	Objects    int
	Realistic  bool
	Namespaces int
	// Selects says that the server selects by hash.
	Selects bool
	// History is how many changes are kept, so that no watch ends however far it is behind.
	History int
}

// namespace returns the namespace of small pod i.
func (s *spec) namespace(i int) string { return fmt.Sprintf("tenant-%d", i%s.Namespaces) }

// order is a command to a server. One of the fields is set.
type order struct {
	// Round has each object changed once, in a random order, as fast as that goes.
	Round int `json:",omitempty"`
	// Noise has the objects of the first namespace changed as fast as that goes, and those of each other one at a steady rate.
	Noise *noise `json:",omitempty"`
}

// noise is for how long there is some.
type noise struct {
	// Quiet is for how long the quiet namespaces change, and Rate how often in a second each.
	Quiet time.Duration
	Rate  int
	// After is for how long the noise goes on by itself, so that what was written last has time to arrive.
	After time.Duration
}

// report is what a server has done.
type report struct {
	// Written is how many changes were made, but for those in Quiet.
	Written int
	// Quiet is each change of a quiet namespace.
	Quiet []change
}

// change is a change of an object, with its time in nanoseconds.
type change struct {
	Index   int
	Written int64
}

// server is a server with its objects.
type server struct {
	*apitest.Server
	spec
	pods []*corev1.Pod
}

// Serve is the server's process: args are those after [Command]. It writes its URL as a line to out, and executes the orders
// in the lines of in, until that ends, which is when the process that started it does.
func Serve(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes what the server has, got %d arguments", Command, len(args))
	}
	var s server
	if err := json.Unmarshal([]byte(args[0]), &s.spec); err != nil {
		return fmt.Errorf("%s: %w", Command, err)
	}
	var err error
	s.Server, err = apitest.Start(apitest.Config{PlainHTTP: true, ShardSelectors: s.Selects, History: s.History})
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range s.Objects {
		pod := newPod(i, s.namespace(i), s.Realistic)
		if err := s.Put(pod); err != nil {
			return err
		}
		s.pods = append(s.pods, pod)
	}
	return subprocess.Serve(s.URL(), in, out, s.do)
}

func (s *server) do(o order) (report, error) {
	if o.Noise != nil {
		return s.noise(*o.Noise)
	}
	r := rand.New(rand.NewPCG(7, uint64(o.Round)))
	for _, i := range r.Perm(len(s.pods)) {
		if _, err := s.write(i); err != nil {
			return report{}, err
		}
	}
	return report{Written: len(s.pods)}, nil
}

// write changes a pod, and notes when. The copy is a shallow one, since Put makes a deep one.
func (s *server) write(i int) (written int64, err error) {
	pod := *s.pods[i]
	pod.Annotations = make(map[string]string, len(pod.Annotations)+1)
	for k, v := range s.pods[i].Annotations {
		pod.Annotations[k] = v
	}
	written = time.Now().UnixNano()
	pod.Annotations[writtenMark] = strconv.FormatInt(written, 10)
	return written, s.Put(&pod)
}

// noise makes some.
func (s *server) noise(n noise) (report, error) {
	p, err := s.pace()
	if err != nil {
		return report{}, err
	}
	defer p.stop()
	var all sync.WaitGroup
	var done report
	var loudErr, quietErr error
	began := time.Now()
	all.Go(func() { done.Written, loudErr = s.loud(n, began, p) })
	all.Go(func() { done.Quiet, quietErr = s.quiet(n, began, p) })
	all.Wait()
	return done, errors.Join(loudErr, quietErr)
}

// loud changes the first namespace, one object after the other.
func (s *server) loud(n noise, began time.Time, p *pace) (written int, err error) {
	for time.Since(began) < n.Quiet+n.After {
		at := written * s.Namespaces % len(s.pods)
		if _, err := s.write(at - at%s.Namespaces); err != nil {
			return written, err
		}
		written++
		p.wrote()
		if err := p.wait(); err != nil {
			return written, err
		}
	}
	return written, nil
}

// quiet changes all but the first namespace at a steady rate, one after the other.
func (s *server) quiet(n noise, began time.Time, p *pace) ([]change, error) {
	rate := n.Rate * (s.Namespaces - 1)
	var out []change
	next := 0
	for i := 0; ; i++ {
		due := time.Duration(i) * time.Second / time.Duration(rate)
		if due >= n.Quiet {
			return out, nil
		}
		time.Sleep(time.Until(began.Add(due)))
		if next++; next%s.Namespaces == 0 {
			next++
		}
		next %= len(s.pods)
		written, err := s.write(next)
		if err != nil {
			return nil, err
		}
		p.wrote()
		out = append(out, change{next, written})
	}
}
