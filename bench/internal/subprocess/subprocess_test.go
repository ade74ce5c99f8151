package subprocess

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

const command = "serve-sums"

// TestMain lets the test binary be its own server: one that adds up its orders.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == command {
		if err := serve(os.Args[2], os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	// With the race detector a process lingers for a second when it ends, so that others may report.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func serve(spec string, in io.Reader, out io.Writer) error {
	if spec == `"broken"` {
		return errors.New("it is broken")
	}
	sum := 0
	return Serve("http://nowhere", in, out, func(n int) (int, error) {
		if n < 0 {
			return 0, errors.New("that is too little")
		}
		sum += n
		return sum, nil
	})
}

func TestOrders(t *testing.T) {
	p, err := Start(command, "sound")
	if err != nil {
		t.Fatal(err)
	}
	if p.URL != "http://nowhere" {
		t.Errorf("the server is at %s", p.URL)
	}
	for n, want := range map[int]int{0: 0, 7: 7} {
		var got int
		if err := p.Tell(n, &got); err != nil {
			t.Fatal(err)
		}
		if n > 0 && got != want {
			t.Errorf("the server says %d, want %d", got, want)
		}
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	if _, err := Start(command, "broken"); err == nil || !strings.Contains(err.Error(), "it is broken") {
		t.Errorf("error %v of a server that does not start", err)
	}
	p, err := Start(command, "sound")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Tell(-1, new(int)); err == nil {
		t.Error("no error of an order that failed")
	}
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "that is too little") {
		t.Errorf("error %v of a server that failed", err)
	}
}
