//go:build unix

package binaries

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"vedette.dev/testenv/internal/controlplane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testCache builds in no time, and counts how often.
type testCache struct {
	*Cache
	builds atomic.Int32
	said   *safeBuffer
}

func newTestCache(t *testing.T, dir string) *testCache {
	t.Helper()
	said := &safeBuffer{}
	c, err := newCache(dir, said, controlplane.APIServer, controlplane.Etcd)
	if err != nil {
		t.Fatal(err)
	}
	tc := &testCache{Cache: c, said: said}
	tc.compile = func(_ context.Context, dir string) error {
		tc.builds.Add(1)
		return writePrograms(dir)
	}
	return tc
}

func writePrograms(dir string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, controlplane.APIServer.Name), []byte("an API server"), 0o755),
		os.WriteFile(filepath.Join(dir, controlplane.Etcd.Name), []byte("a store"), 0o755),
	)
}

func (c *testCache) mustGet(t *testing.T) Set {
	t.Helper()
	set, err := c.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestBuiltOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	c := newTestCache(t, dir)
	if _, err := c.Find(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Find in an empty cache: %v", err)
	}
	first := c.mustGet(t)
	if b, err := os.ReadFile(first.Path(controlplane.APIServer)); err != nil || string(b) != "an API server" {
		t.Errorf("API server: %q, %v", b, err)
	}
	again := newTestCache(t, dir)
	if set := again.mustGet(t); set != first || again.builds.Load() != 0 {
		t.Errorf("built again, or elsewhere: %v, then %v", first, set)
	}
}

// Neither a program that was changed nor one that was cut short, nor a set without its seal, is ever used.
func TestCorruptSetIsBuiltAnew(t *testing.T) {
	damage := map[string]func(Set) error{
		"changed":  func(s Set) error { return os.WriteFile(s.Path(controlplane.Etcd), []byte("another"), 0o755) },
		"short":    func(s Set) error { return os.Truncate(s.Path(controlplane.APIServer), 3) },
		"missing":  func(s Set) error { return os.Remove(s.Path(controlplane.APIServer)) },
		"unsealed": func(s Set) error { return os.Remove(filepath.Join(s.Dir, sums)) },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			c := newTestCache(t, t.TempDir())
			set := c.mustGet(t)
			if err := harm(set); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Find(); err == nil {
				t.Error("Find returns a damaged set")
			}
			c.mustGet(t)
			if n := c.builds.Load(); n != 2 {
				t.Errorf("%d builds, want 2", n)
			}
		})
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	c := newTestCache(t, t.TempDir())
	broken := errors.New("it does not compile")
	c.compile = func(_ context.Context, dir string) error { return errors.Join(writePrograms(dir), broken) }
	if _, err := c.Get(t.Context()); !errors.Is(err, broken) {
		t.Errorf("Get: %v", err)
	}
	if names := list(t, c.Dir()); len(names) != 1 || names[0] != "testenv.lock" {
		t.Errorf("left behind: %q", names)
	}
}

func TestKilledBuildIsTidiedUp(t *testing.T) {
	c := newTestCache(t, t.TempDir())
	left := filepath.Join(c.Dir(), unfinished+"1234")
	if err := errors.Join(os.Mkdir(left, 0o755), writePrograms(left)); err != nil {
		t.Fatal(err)
	}
	c.mustGet(t)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a killed build is still there: %v", err)
	}
}

// The system treats two opened files as it treats two processes.
func TestOneBuildAtATime(t *testing.T) {
	dir := t.TempDir()
	first, second := newTestCache(t, dir), newTestCache(t, dir)
	begun, finish := make(chan struct{}), make(chan struct{})
	first.compile = func(_ context.Context, dir string) error {
		close(begun)
		<-finish
		return writePrograms(dir)
	}
	second.said.onWrite = sync.OnceFunc(func() { close(finish) }) // it can only say that it waits
	firstErr := make(chan error)
	go func() {
		_, err := first.Get(t.Context())
		firstErr <- err
	}()
	<-begun
	second.mustGet(t)
	if err := <-firstErr; err != nil {
		t.Error(err)
	}
	if n := second.builds.Load(); n != 0 {
		t.Error("the second built too, although the first had")
	}
	if said := second.said.String(); !strings.Contains(said, "waiting for another build (by process ") {
		t.Errorf("the second said %q", said)
	}
}

func TestWaitingCanBeCutShort(t *testing.T) {
	dir := t.TempDir()
	holder, waiter := newTestCache(t, dir), newTestCache(t, dir)
	unlock, err := holder.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	waiter.said.onWrite = cancel
	if _, err := waiter.Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Get: %v", err)
	}
}

func TestCleanRemovesOnlyWhatIsOurs(t *testing.T) {
	c := newTestCache(t, filepath.Join(t.TempDir(), "cache"))
	if err := c.Clean(t.Context()); err != nil {
		t.Errorf("cleaning what is not there: %v", err)
	}
	c.mustGet(t)
	photo := filepath.Join(c.Dir(), "photo.jpg")
	if err := os.WriteFile(photo, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := list(t, c.Dir()); len(names) != 1 || names[0] != "photo.jpg" {
		t.Errorf("left after Clean: %q", names)
	}
	if err := errors.Join(os.Remove(photo), c.Clean(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the empty folder is still there: %v", err)
	}
}

// A lock on a file that Clean has removed has no effect.
func TestLockOutlivesClean(t *testing.T) {
	c := newTestCache(t, t.TempDir())
	f, err := os.Create(c.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !c.isLockFile(f) {
		t.Error("the lock file is not known as such")
	}
	if err := os.Remove(c.lockPath()); err != nil {
		t.Fatal(err)
	}
	if c.isLockFile(f) {
		t.Error("a removed lock file counts")
	}
}

func TestEnvironmentMovesTheCache(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvDir, dir)
	c, err := New(&bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Dir() != dir {
		t.Errorf("cache in %s, want %s", c.Dir(), dir)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// safeBuffer is a buffer for several goroutines that signals writes.
type safeBuffer struct {
	mu      sync.Mutex
	buffer  bytes.Buffer
	onWrite func()
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.onWrite != nil {
		b.onWrite()
	}
	return b.buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
