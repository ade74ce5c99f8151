package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// runChild takes one measurement in a process of its own.
func runChild(ctx context.Context, j Job, limit time.Duration) (Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, err := childCommand(ctx, j)
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("not done after %v", limit)
		}
		return nil, withStderr(err, errs.String())
	}
	return decodeSample(out.Bytes())
}

func childCommand(ctx context.Context, j Job) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args, err := j.args()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	// SIGQUIT makes a child that hangs say where each goroutine stands.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

func decodeSample(out []byte) (Sample, error) {
	var s Sample
	if err := json.Unmarshal(out, &s); err != nil {
		return nil, fmt.Errorf("no sample on stdout: %w", err)
	}
	return s, nil
}

// stderrLimit keeps the dump of a thousand goroutines from hiding the error itself.
const stderrLimit = 8 << 10

func withStderr(err error, stderr string) error {
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return err
	}
	if len(stderr) > stderrLimit {
		stderr = stderr[:stderrLimit] + "\n(cut)"
	}
	return fmt.Errorf("%w\n%s", err, stderr)
}
