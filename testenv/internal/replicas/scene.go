package replicas

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/shardhistory"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shardgroup"
	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/tunnel"
)

const (
	groupName      = "tasks"
	groupNamespace = "default"
)

// Scene is an API server with objects, and the replicas that work on them.
type Scene struct {
	env    *testenv.Env
	config *rest.Config
	client kubernetes.Interface
	setup  Setup // of all replicas
	log    shardhistory.Log
	began  time.Time
	out    io.Writer

	effects  effects
	watching sync.WaitGroup
	unwatch  context.CancelFunc
	blind    atomic.Pointer[error] // why effects has ended too early

	mu       sync.Mutex
	number   int
	replicas []*replica // that were started, and have not ended
	events   []event
	ended    map[string]int // why replicas have ended, with how many
	panics   []string
}

// event is a grant or a release of a shard, as a replica has logged it.
type event struct {
	at      time.Time
	replica string
	granted bool
	shard   int
}

// NewScene starts an API server with objects in a number of namespaces.
func NewScene(ctx context.Context, out io.Writer, setup Setup, objects, namespaces int) (*Scene, error) {
	env, err := testenv.Start(ctx, testenv.Config{FeatureGates: map[string]bool{"ShardedListAndWatch": true}})
	if err != nil {
		return nil, err
	}
	config := env.RESTConfig()
	config.QPS = -1
	s := &Scene{env: env, config: config, setup: setup, began: time.Now(), out: out, ended: map[string]int{}}
	s.setup.Group, s.setup.Namespace, s.setup.Token, s.setup.CA = groupName, groupNamespace, config.BearerToken, config.CAData
	if s.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, errors.Join(err, env.Stop())
	}
	s.effects.log = &s.log
	var watching context.Context
	watching, s.unwatch = context.WithCancel(context.WithoutCancel(ctx))
	ready := make(chan struct{})
	s.watching.Go(func() {
		if err := s.effects.watch(watching, env.EtcdURL(), func() { close(ready) }); err != nil {
			s.blind.Store(&err)
		}
	})
	select {
	case <-ready:
	case <-time.After(10 * time.Second):
		return nil, errors.Join(errors.New("etcd does not answer a watch"), s.Close())
	}
	if err := s.create(ctx, objects, namespaces); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the replicas and the API server.
func (s *Scene) Close() error {
	for _, r := range s.running() {
		r.kill()
	}
	s.unwatch()
	s.watching.Wait()
	return s.env.Stop()
}

func (s *Scene) say(format string, args ...any) {
	fmt.Fprintf(s.out, "%6.1f s  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

func namespaceOf(i, namespaces int) string { return fmt.Sprintf("team-%04d", i%namespaces) }

func taskName(i int) string { return fmt.Sprintf("task-%06d", i) }

func newTask(i, namespaces int, want string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: taskName(i), Namespace: namespaceOf(i, namespaces), Labels: map[string]string{taskLabel: ""}},
		Data:       map[string]string{wantKey: want},
	}
}

// create creates objects, eight at a time.
func (s *Scene) create(ctx context.Context, objects, namespaces int) error {
	for i := range namespaces {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(i, namespaces)}}
		if _, err := s.client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	next := make(chan int)
	failed := make(chan error, 8)
	var creating sync.WaitGroup
	for range 8 {
		creating.Go(func() {
			for i := range next {
				task := newTask(i, namespaces, "0")
				if _, err := s.client.CoreV1().ConfigMaps(task.Namespace).Create(ctx, task, metav1.CreateOptions{}); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var err error
	for i := 0; i < objects && err == nil; i++ {
		if i > 0 && i%20000 == 0 {
			s.say("%d of %d objects were created", i, objects)
		}
		select {
		case next <- i:
		case err = <-failed:
		}
	}
	close(next)
	creating.Wait()
	select {
	case err = <-failed:
	default:
	}
	s.say("%d objects in %d namespaces were created", objects, namespaces)
	return err
}

// replica is a process, and its way to the server.
type replica struct {
	scene   *Scene
	cmd     *exec.Cmd
	in      io.WriteCloser
	tunnel  *tunnel.Tunnel
	answers chan string
	done    chan struct{}

	mu      sync.Mutex
	name    string // in the group; empty until it has told
	leaving bool   // it was told to
	killed  bool
}

// start starts a replica.
func (s *Scene) start() (*replica, error) {
	tun, err := tunnel.New(strings.TrimPrefix(s.env.Host(), "https://"))
	if err != nil {
		return nil, err
	}
	setup := s.setup
	s.mu.Lock()
	s.number++
	setup.Host, setup.Name = "https://"+tun.Address(), "r"+strconv.Itoa(s.number)
	s.mu.Unlock()
	text, err := json.Marshal(setup)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &replica{scene: s, cmd: exec.Command(self), tunnel: tun, answers: make(chan string, 1), done: make(chan struct{})}
	r.cmd.Env = append(os.Environ(), variable+"="+string(text))
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.cmd.Stderr = r.cmd.Stdout // as one pipe
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.replicas = append(s.replicas, r)
	s.mu.Unlock()
	go r.read(out)
	return r, nil
}

// running returns the replicas that have not ended.
func (s *Scene) running() []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.replicas)
}

// working returns the replicas that have not ended, and were not told to leave.
func (s *Scene) working() []*replica {
	return slices.DeleteFunc(s.running(), func(r *replica) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.leaving
	})
}

// read takes what the replica prints, until it ends.
func (r *replica) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	var rest strings.Builder // after a panic or a report of the race detector
	why := "told to"
	for lines.Scan() {
		line := lines.Text()
		kind, text, _ := strings.Cut(line, " ")
		switch {
		case rest.Len() > 0, strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "fatal error:"), strings.Contains(line, "DATA RACE"):
			if rest.Len() < 16<<10 {
				rest.WriteString(line + "\n")
			}
		case kind == "ACT":
			r.act(text)
		case kind == "NAME":
			r.mu.Lock()
			r.name = text
			r.mu.Unlock()
		case kind == "ANSWER":
			r.answers <- text
		case kind == "ENDED":
			why = reason(text)
		case strings.HasPrefix(kind, "at="):
			r.logged(line)
		}
	}
	_ = r.cmd.Wait()
	r.tunnel.Close()
	s := r.scene
	s.mu.Lock()
	s.replicas = slices.DeleteFunc(s.replicas, func(other *replica) bool { return other == r })
	if r.mu.Lock(); r.killed {
		why = "killed"
	}
	r.mu.Unlock()
	s.ended[why]++
	if rest.Len() > 0 {
		s.panics = append(s.panics, rest.String())
	}
	s.mu.Unlock()
	close(r.done)
}

// reason returns the words of an error that are the same for all replicas.
func reason(text string) string {
	for _, known := range []error{shardgroup.ErrLost, shardgroup.ErrMismatch, shardgroup.ErrDrainTimeout} {
		if strings.Contains(text, known.Error()) {
			return known.Error()
		}
	}
	return text
}

func (r *replica) act(text string) {
	var at, epoch int64
	var shard int
	if _, err := fmt.Sscan(text, &at, &shard, &epoch); err != nil {
		return // the line was cut off by the end of the process
	}
	r.scene.log.Act(shardhistory.Act{At: time.Unix(0, at), Member: r.member(), Shard: shard, Epoch: epoch})
}

// logged takes a line of the log of the group.
func (r *replica) logged(line string) {
	granted := strings.Contains(line, `msg="Shard granted"`)
	if !granted && !strings.Contains(line, `msg="Shard released"`) {
		return
	}
	e := event{replica: r.member(), granted: granted, shard: -1}
	for _, field := range strings.Fields(line) {
		key, value, _ := strings.Cut(field, "=")
		switch n, _ := strconv.ParseInt(value, 10, 64); key {
		case "at":
			e.at = time.Unix(0, n)
		case "shard":
			e.shard = int(n)
		}
	}
	r.scene.mu.Lock()
	defer r.scene.mu.Unlock()
	r.scene.events = append(r.scene.events, e)
}

func (r *replica) member() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name
}

// ask returns the answer of the replica to a question.
func (r *replica) ask(question string) (int64, error) {
	if _, err := fmt.Fprintln(r.in, question); err != nil {
		return 0, err
	}
	select {
	case text := <-r.answers:
		return strconv.ParseInt(text, 10, 64)
	case <-r.done:
		return 0, fmt.Errorf("replica %s has ended", r.member())
	case <-time.After(time.Minute):
		return 0, fmt.Errorf("replica %s does not answer", r.member())
	}
}

// kill ends the replica as a crash does, and returns when it has ended.
func (r *replica) kill() {
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	_ = r.cmd.Process.Kill()
	<-r.done
}

// stop tells the replica to leave the group and end.
func (r *replica) stop() {
	r.mu.Lock()
	r.leaving = true
	r.mu.Unlock()
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
}

// freeze stops the process, or has it go on.
func (r *replica) freeze(frozen bool) {
	signal := syscall.SIGCONT
	if frozen {
		signal = syscall.SIGSTOP
	}
	_ = r.cmd.Process.Signal(signal)
}

// overview returns the group as it is on the server.
func (s *Scene) overview(ctx context.Context) (*shardgroup.Overview, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return shardgroup.Read(ctx, s.config, groupNamespace, s.setup.Group)
}

// divided waits until a number of replicas share all shards, and have done so for a moment.
func (s *Scene) divided(ctx context.Context, replicas int, limit time.Duration) error {
	began, why := time.Now(), ""
	for calm := 0; calm < 10; time.Sleep(100 * time.Millisecond) {
		if why = s.undivided(ctx, replicas); why == "" {
			calm++
			continue
		}
		calm = 0
		if time.Since(began) > limit || ctx.Err() != nil {
			return fmt.Errorf("the shards are not divided among %d replicas after %v: %s", replicas, limit, why)
		}
	}
	return nil
}

func (s *Scene) undivided(ctx context.Context, replicas int) string {
	o, err := s.overview(ctx)
	if err != nil {
		return err.Error()
	}
	owners := map[string]int{}
	for i, one := range o.Shards {
		if one.Phase != "owned" {
			return fmt.Sprintf("shard %d is %s", i, one.Phase)
		}
		owners[one.Owner]++
	}
	if len(owners) != replicas {
		return fmt.Sprintf("there are %d owners", len(owners))
	}
	if s.setup.Key == "namespace" {
		return "" // the objects of namespaces with similar names are in few shards, so that some replicas have one, and others many
	}
	// As many of each, within what the difference of their objects allows.
	for name, n := range owners {
		if n < len(o.Shards)/replicas/3 {
			return fmt.Sprintf("%s has %d shards", name, n)
		}
	}
	return ""
}
