//go:build unix

package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pollLock is how often a process looks whether the lock is free. flock can wait by itself, but not until ctx is done.
const pollLock = 200 * time.Millisecond

func (c *Cache) lockPath() string { return filepath.Join(c.dir, "testenv.lock") }

// lock waits until no other process builds or cleans. The system gives the lock back if its holder dies.
func (c *Cache) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w (set %s to a folder that can be written)", err, EnvDir)
	}
	for waited := false; ; {
		f, err := c.tryLock()
		if err != nil {
			return nil, err
		}
		if f != nil {
			return func() { _ = f.Close() }, nil
		}
		if !waited {
			waited = true
			c.progress.say("waiting for another build%s", c.holder())
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting for another build%s of %v: %w", c.holder(), c.recipe, ctx.Err())
		case <-time.After(pollLock):
		}
	}
}

// tryLock returns the locked file, or nil if another has it.
func (c *Cache) tryLock() (_ *os.File, err error) {
	f, err := os.OpenFile(c.lockPath(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%w (set %s to a folder that can be written)", err, EnvDir)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), err == nil && !c.isLockFile(f):
		return nil, f.Close()
	case err != nil:
		return nil, errors.Join(fmt.Errorf("locking %s: %w", f.Name(), err), f.Close())
	}
	// For the message of waiting processes; the lock itself does not need it.
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isLockFile is false if Clean removed the file between our opening and locking it: a lock on that is worth nothing.
func (c *Cache) isLockFile(f *os.File) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(c.lockPath())
	return err == nil && os.SameFile(ours, current)
}

func writePID(f *os.File) error {
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder describes the holder of the lock, if known.
func (c *Cache) holder() string {
	b, err := os.ReadFile(c.lockPath())
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" {
		return " (by process " + pid + ")"
	}
	return ""
}
