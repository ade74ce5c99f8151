//go:build unix

package process

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFailureCarriesTheEndOfTheLog(t *testing.T) {
	k := newKeeper(t)
	p := startIn(t, k, shell(k, "for i in 1 2 3 4 5 6 7 8 9; do echo a-$i; echo b-$i; echo c-$i; done; exit 7"))
	<-p.Done()
	err := p.Failure()
	if !errors.Is(err, ErrEnded) {
		t.Errorf("not ErrEnded: %v", err)
	}
	for _, want := range []string{"exit status 7", "    c-9", "    b-4"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "a-1") {
		t.Errorf("more than the end: %v", err)
	}
}

// What a server said in an earlier life is not the reason why this one died.
func TestFailureIsAboutThisLife(t *testing.T) {
	k := newKeeper(t)
	<-startIn(t, k, shell(k, "echo address already in use; exit 1")).Done()
	p := startIn(t, k, shell(k, "echo out of luck; exit 1"))
	<-p.Done()
	if p.LogContains("already in use") || !p.LogContains("out of luck") {
		t.Errorf("not the log of the second life: %s", p.LogTail())
	}
}

func TestNoFailureWhileRunning(t *testing.T) {
	k := newKeeper(t)
	p := startIn(t, k, sleeper(k))
	if err := p.Failure(); err != nil {
		t.Error(err)
	}
	p.Kill()
	if err := p.Failure(); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("after Kill: %v", err)
	}
}

func TestStopIsPoliteFirst(t *testing.T) {
	k := newKeeper(t)
	polite := startIn(t, k, shell(k, "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"))
	eventually(t, "it is ready", func() bool { return polite.LogContains("ready") })
	polite.Stop(time.Minute)
	if !polite.LogContains("bye") {
		t.Errorf("it had no time to end by itself: %v", polite.Failure())
	}
	deaf := startIn(t, k, shell(k, "trap '' TERM; echo ready; while :; do sleep 0.01; done"))
	eventually(t, "it is ready", func() bool { return deaf.LogContains("ready") })
	deaf.Stop(time.Millisecond)
	if err := deaf.Failure(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it was not killed: %v", err)
	}
}

func TestOutputGetsWhatTheLogGets(t *testing.T) {
	k := newKeeper(t)
	var out bytes.Buffer
	c := shell(k, "echo one; echo two >&2")
	c.Output = &out
	p := startIn(t, k, c)
	<-p.Done()
	if out.String() != "one\ntwo\n" || !p.LogContains("two") {
		t.Errorf("output %q, log %q", out.String(), p.LogTail())
	}
}

func TestStartSaysWhichProgramIsMissing(t *testing.T) {
	k := newKeeper(t)
	c := sleeper(k)
	c.Path = "/no/such/program"
	if _, err := k.Start(c); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
}
