package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// runFor runs the program in a bubble, where time costs nothing and a goroutine left behind is an error, and interrupts
// it after a while.
func runFor(t *testing.T, limit time.Duration, args string) (code int, out, errs string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		var o, e bytes.Buffer
		code = run(ctx, strings.Fields(args), &o, &e)
		out, errs = o.String(), e.String()
	})
	return code, out, errs
}

// worstWait finds the row of a namespace and queue, if it reports that all of its keys are done.
func worstWait(t *testing.T, out, namespace, queue, keys string) time.Duration {
	t.Helper()
	row := regexp.MustCompile(`(?m)^ *` + namespace + ` +` + queue + ` +` + keys + ` of ` + keys + ` +\d+ +\S+ +(\S+)$`)
	found := row.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no row for all %s keys of %s in the %s queue:\n%s", keys, namespace, queue, out)
	}
	wait, err := time.ParseDuration(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return wait
}

func TestAllKeysAreDone(t *testing.T) {
	code, out, errs := runFor(t, time.Minute, "-workers 4 -noisy 1200 -quiet 3")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, queue := range []string{"plain", "fair"} {
		worstWait(t, out, "batch", queue, "1200")
	}
	for _, namespace := range []string{"shop", "billing"} {
		plain, fair := worstWait(t, out, namespace, "plain", "3"), worstWait(t, out, namespace, "fair", "3")
		if fair > 50*time.Millisecond || plain < time.Second {
			t.Errorf("%s waited %v in the plain queue and %v in the fair one; only the first should be long:\n%s",
				namespace, plain, fair, out)
		}
	}
	if !regexp.MustCompile(`(?m)^1s +plain: \d+ queued, \d in work, \d+ backing off +fair: \d+ queued, \d in work`).MatchString(out) {
		t.Errorf("no line of progress after the first second:\n%s", out)
	}
}

func TestInterrupt(t *testing.T) {
	code, out, errs := runFor(t, 100*time.Millisecond, "-noisy 1000")
	if code != 130 || !strings.Contains(errs, "interrupted") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if !strings.Contains(out, "of 1000") || strings.Contains(out, "1000 of 1000") {
		t.Errorf("the table should be there, with some keys left:\n%s", out)
	}
}

func TestInterruptBeforeTheFirstKey(t *testing.T) {
	if code, out, _ := runFor(t, 0, ""); code != 130 || !strings.Contains(out, "0 of 3500") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		args string
		code int
		want string
	}{
		{"-help", 0, "Examples:"},
		{"-workers 0", 2, "-workers, -noisy and -quiet must be at least 1"},
		{"-quiet -1", 2, "must be at least 1"},
		{"-noisy many", 2, `invalid value "many" for flag -noisy`},
		{"-loud", 2, "not defined: -loud"},
		{"batch", 2, `unexpected argument "batch"`},
	}
	for _, tt := range tests {
		code, out, errs := runFor(t, time.Minute, tt.args)
		if code != tt.code || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%s: exit code %d, want %d with %q:\n%s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
	}
}
