//go:build unix

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stopsVariable is how many times leaders are stopped in TestNoWriteAfterTheTerm, all pairs together.
const stopsVariable = "VEDETTE_E2E_STOPS"

// Pairs of replicas under runner.Run. The leader of each is stopped again and again, for a time around the end of its lease, by SIGSTOP
// and by freezing its cgroup. When it goes on, timers have not run. It has sent no write by the time at which it was sent after its
// term, and no writes of two terms are mixed.
//
//	VEDETTE_E2E_STOPS=200 go test -run NoWriteAfterTheTerm ./e2e
func TestNoWriteAfterTheTerm(t *testing.T) {
	t.Parallel()
	stops := 16
	if text := os.Getenv(stopsVariable); text != "" {
		var err error
		if stops, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", stopsVariable, err)
		}
	}
	const pairs = 4
	var all sync.WaitGroup
	var running []*fencedPair
	for i := range pairs {
		p := newFencedPair(t, i%2 == 0)
		p.pause = sigstop
		if i == 0 {
			p.pause = freezer(t)
		}
		p.start(t)
		running = append(running, p)
		all.Go(func() { p.stopLeaders(t, (stops+pairs-1)/pairs, rand.New(rand.NewPCG(uint64(i), 0))) })
	}
	all.Wait()
	var sum fencedCounts
	for _, p := range running {
		p.end()
		p.check(t, &sum)
	}
	t.Logf("%+v", sum)
	if sum.Takeovers == 0 || sum.Outlived == 0 {
		t.Errorf("no leader was replaced, or none woke after its term: the stops were too short: %+v", sum)
	}
}

// fencedCounts is what was seen, all pairs together.
type fencedCounts struct {
	Stops int
	// Outlived is after how many of them the replica had outlived its term. Takeovers is how often another replica began to write.
	Outlived, Takeovers int
	// Writes were answered with success. Of those that were sent in time, Late arrived when another had written, and were refused by
	// the server.
	Writes, Late int
	// Refused is requests that were refused after they had passed the gate, while they were written.
	Refused int
}

// fencedPair is two replicas of one election.
type fencedPair struct {
	history  *history
	replicas map[string]*fencedProcess
	// pause stops a process, and returns what lets it go on.
	pause func(t *testing.T, process *os.Process) (resume func())
	stops int
}

type fencedProcess struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	stops [][2]int64 // from when to when it was stopped
	end   func()
}

func newFencedPair(t *testing.T, emptyLease bool) *fencedPair {
	t.Helper()
	client := newClientset(t)
	p := &fencedPair{replicas: map[string]*fencedProcess{}}
	p.history = newHistory(t, client, newNamespace(t, client))
	for _, name := range fencedMaps[1:] {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := client.CoreV1().ConfigMaps(p.history.namespace).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if emptyLease { // as a program may ship it
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "election"}}
		if _, err := client.CoordinationV1().Leases(p.history.namespace).Create(t.Context(), lease, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *fencedPair) start(t *testing.T) {
	t.Helper()
	config := adminConfig(t)
	for _, name := range []string{"a", "b"} {
		setup, err := json.Marshal(replicaSetup{
			Host: shared.Env(t).Host(), Token: config.BearerToken, CA: config.CAData, Namespace: p.history.namespace, Name: name,
		})
		if err != nil {
			t.Fatal(err)
		}
		r := &fencedProcess{cmd: exec.Command(os.Args[0], "-test.run=^TestFencedReplica$", "-test.timeout=30m")}
		r.cmd.Env = append(os.Environ(), fencedVariable+"="+string(setup))
		r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
		alive, err := r.cmd.StdinPipe() // it ends when this process does
		if err != nil {
			t.Fatal(err)
		}
		if err := r.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.end = sync.OnceFunc(func() {
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
			_ = alive.Close()
		})
		t.Cleanup(r.end)
		p.replicas[name] = r
	}
}

func (p *fencedPair) end() {
	for _, r := range p.replicas {
		r.end()
	}
}

func sigstop(t *testing.T, process *os.Process) (resume func()) {
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	return func() {
		if err := process.Signal(syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	}
}

// freezer freezes processes by cgroups, version 2, where this process may make one. Otherwise it is sigstop.
func freezer(t *testing.T) func(*testing.T, *os.Process) (resume func()) {
	t.Helper()
	parent, err := ownCgroup()
	if err != nil {
		t.Logf("SIGSTOP in place of the freezer of cgroup v2: %v", err)
		return sigstop
	}
	group, err := os.MkdirTemp(parent, "vedette-e2e-")
	if err == nil {
		t.Cleanup(func() { _ = os.Remove(group) }) // it runs after the processes have ended
		_, err = os.Stat(filepath.Join(group, "cgroup.freeze"))
	}
	if err != nil {
		t.Logf("SIGSTOP in place of the freezer of cgroup v2: %v", err)
		return sigstop
	}
	write := func(t *testing.T, file, text string) {
		if err := os.WriteFile(filepath.Join(group, file), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	return func(t *testing.T, process *os.Process) (resume func()) {
		write(t, "cgroup.procs", strconv.Itoa(process.Pid))
		write(t, "cgroup.freeze", "1")
		return func() {
			write(t, "cgroup.freeze", "0")
			if err := os.WriteFile(filepath.Join(parent, "cgroup.procs"), []byte(strconv.Itoa(process.Pid)), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

// ownCgroup returns the folder of the cgroup of this process.
func ownCgroup() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", err
	}
	cgroups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[2] == "cgroup2" {
			for own := range strings.Lines(string(cgroups)) {
				if path, ok := strings.CutPrefix(strings.TrimSpace(own), "0::"); ok {
					return filepath.Join(fields[1], path), nil
				}
			}
		}
	}
	return "", fmt.Errorf("it is not mounted")
}

// stopLeaders stops whichever replica writes, for a time between just before the end of its term and well after that of its lease.
func (p *fencedPair) stopLeaders(t *testing.T, rounds int, random *rand.Rand) {
	for range rounds {
		if !p.awaitWrite(t) {
			return
		}
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		r := p.replicas[p.history.leader()]
		length := fencedRenew - 100*time.Millisecond + time.Duration(random.Int64N(int64(2*fencedLease)))
		began := time.Now()
		resume := p.pause(t, r.cmd.Process)
		time.Sleep(length)
		r.stops = append(r.stops, [2]int64{began.UnixNano(), time.Now().UnixNano()})
		resume()
		p.stops++
	}
	p.awaitWrite(t) // which gives the last one time to do harm
}

// awaitWrite waits for a write.
func (p *fencedPair) awaitWrite(t *testing.T) bool {
	p.history.mu.Lock()
	changed := p.history.changed
	p.history.mu.Unlock()
	select {
	case <-changed:
		return true
	case <-time.After(time.Minute):
		t.Error("no replica has written for a minute")
		return false
	}
}

// fencedStamp is a line that a replica has printed.
type fencedStamp struct {
	replica string
	sent    int64
	status  int
	name    string // of the ConfigMap
	term    int
}

// check reads what the replicas printed, and what the server tells.
func (p *fencedPair) check(t *testing.T, sum *fencedCounts) {
	t.Helper()
	sum.Stops += p.stops
	var writes []fencedStamp
	for name, r := range p.replicas {
		leases, own := r.stamps(t, name)
		for _, w := range own {
			switch {
			case w.status < 0:
				sum.Refused++
				continue
			case w.status == 409:
				sum.Late++
			case w.status == 200:
				sum.Writes++
			}
			if over := w.sent - validUntil(leases, w.sent); over >= 0 {
				t.Errorf("%s/%s wrote to %s in term %d, with the answer %d, %v after its term", p.history.namespace, name, w.name, w.term, w.status, time.Duration(over))
			}
			writes = append(writes, w)
		}
		for _, stop := range r.stops {
			if stop[1] >= validUntil(leases, stop[0]) {
				sum.Outlived++
			}
		}
	}
	slices.SortFunc(writes, func(a, b fencedStamp) int { return cmp.Compare(a.sent, b.sent) })
	for i := 1; i < len(writes); i++ {
		before, w := writes[i-1], writes[i]
		if w.term < before.term || w.term == before.term && w.replica != before.replica {
			t.Errorf("%s: %s writes in term %d after %s has in term %d", p.history.namespace, w.replica, w.term, before.replica, before.term)
		}
		if w.replica != before.replica {
			sum.Takeovers++
		}
	}
	p.history.checkOrder(t)
}

// validUntil returns the end of the term by the last renewal that was sent before that time and succeeded.
func validUntil(leases []fencedStamp, at int64) int64 {
	end := int64(0)
	for _, l := range leases {
		if l.sent <= at && (l.status == 200 || l.status == 201) {
			end = max(end, l.sent+int64(fencedRenew))
		}
	}
	return end
}

// stamps parses what a replica printed. It must have ended.
func (r *fencedProcess) stamps(t *testing.T, replica string) (leases, writes []fencedStamp) {
	t.Helper()
	for line := range strings.Lines(r.out.String()) {
		s := fencedStamp{replica: replica}
		if _, err := fmt.Sscanf(line, "LEASE %d %d\n", &s.sent, &s.status); err == nil {
			leases = append(leases, s)
		} else if _, err := fmt.Sscanf(line, "WRITE %d %d %s %d\n", &s.sent, &s.status, &s.name, &s.term); err == nil {
			writes = append(writes, s)
		} else if strings.Contains(line, "panic") {
			t.Errorf("%s: %s", replica, r.out.String())
			break
		}
	}
	if len(writes) == 0 {
		t.Logf("%s has not written: %.2000s", replica, r.out.String())
	}
	return leases, writes
}
