//go:build unix

package testenv

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestKillStopAndStartAPIServer(t *testing.T) {
	e := New(t, Config{})
	wantError(t, e.StartAPIServer(t.Context()), nil, "stop or kill it first")
	host := e.Host()
	for name, end := range map[string]func(){"kill": e.KillAPIServer, "stop": e.StopAPIServer} {
		events := watch(t, e, "0")
		done := e.APIServerDone()
		began := time.Now()
		end()
		t.Logf("%s took %v", name, time.Since(began))
		<-done
		<-e.APIServerDone() // also when asked afterwards
		for range events {  // until the connection ends
		}
		if e.APIServerPID() != 0 {
			t.Error("there is a process number, but no process")
		}
		if err := e.apiServerReady(t.Context()); err == nil {
			t.Error("it still answers")
		}
		end() // does nothing
		if err := e.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if e.Host() != host {
		t.Errorf("it moved from %s to %s", host, e.Host())
	}
}

func TestRestartAPIServer(t *testing.T) {
	e := New(t, Config{})
	createConfigMap(t, e, "kept")
	before := e.APIServerPID()
	if err := e.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e.APIServerPID() == before {
		t.Error("it is the same process")
	}
	if code, body := get(t, e, configMaps+"/kept"); code != http.StatusOK {
		t.Errorf("the data is gone: %d %s", code, body)
	}
}

// What the comment of Compact says.
func TestCompact(t *testing.T) {
	e := New(t, Config{})
	old := createConfigMap(t, e, "first")
	createConfigMap(t, e, "second")
	if _, err := e.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first := <-watch(t, e, old); !strings.Contains(first, `"ADDED"`) || !strings.Contains(first, "second") {
		t.Errorf("a watch from before the compaction no longer goes on: %s", first)
	}
	if err := e.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first := <-watch(t, e, old); !strings.Contains(first, `"code":410`) {
		t.Errorf("a watch from before the restart is not refused: %s", first)
	}
	assertGone(t, e, old)
	if _, err := e.Compact(t.Context()); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

func TestRestartAloneEndsOldWatches(t *testing.T) {
	e := New(t, Config{})
	old := createConfigMap(t, e, "first")
	createConfigMap(t, e, "second")
	if err := e.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first := <-watch(t, e, old); !strings.Contains(first, `"code":410`) {
		t.Errorf("a watch from before the restart is not refused: %s", first)
	}
}

func TestCompactWithoutCaches(t *testing.T) {
	e := New(t, Config{APIServerArgs: []string{"--watch-cache=false"}})
	old := createConfigMap(t, e, "first")
	createConfigMap(t, e, "second")
	createConfigMap(t, e, "third")
	revision, err := e.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("versions: %s, compacted at %d", old, revision)
	assertGone(t, e, old)
	if first := <-watch(t, e, old); !strings.Contains(first, `"code":410`) {
		t.Errorf("the watch is not refused: %s", first)
	}
}

func assertGone(t *testing.T, e *Env, version string) {
	t.Helper()
	code, body := get(t, e, configMaps+"?resourceVersionMatch=Exact&resourceVersion="+version)
	if code != http.StatusGone {
		t.Errorf("a list of version %s: %d %s", version, code, body)
	}
}

// watch returns the lines of a watch, and ends it with the test.
func watch(t *testing.T, e *Env, version string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.Host()+configMaps+"?watch=1&resourceVersion="+version, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines, done := make(chan string), make(chan struct{})
	go func() {
		defer close(done)
		defer close(lines)
		defer resp.Body.Close()
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return lines
}
