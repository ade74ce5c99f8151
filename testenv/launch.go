package testenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"vedette.dev/testenv/internal/process"
)

// errPortTaken means that another process was quicker. It is worth another try.
var errPortTaken = errors.New("the port was taken by another process")

// pollReady is how often a server is asked whether it is ready.
const pollReady = 20 * time.Millisecond

// launch starts a server and waits until it is ready, by its own word. If it does not get there, it is gone when launch
// returns, and the error carries the end of its log.
func (e *Env) launch(ctx context.Context, cmd process.Command, ready func(context.Context) error) (*process.Process, error) {
	p, err := e.keeper.Start(cmd)
	if err != nil {
		return nil, err
	}
	if err := awaitReady(ctx, p, e.cfg.startTimeout(), ready); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%s did not start: %w", cmd.Name, err)
	}
	return p, nil
}

func awaitReady(ctx context.Context, p *process.Process, limit time.Duration, ready func(context.Context) error) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		answer := ask(ctx, ready)
		if answer == nil {
			return nil
		}
		select {
		case <-p.Done():
			if p.LogContains("address already in use") {
				return fmt.Errorf("%w: %w", errPortTaken, p.Failure())
			}
			return p.Failure()
		case <-ctx.Done():
			return fmt.Errorf("%w; the last try said: %w\n%s", context.Cause(ctx), answer, p.LogTail())
		case <-timeout.C:
			return fmt.Errorf("not ready after %v (Config.StartTimeout), the last try said: %w\n%s", limit, answer, p.LogTail())
		case <-time.After(pollReady):
		}
	}
}

// ask gives up on a server that hangs after a second, to ask again.
func ask(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return ready(ctx)
}

// fetch sends a request of the administrator's, and returns the body of an answer with status 200.
func (e *Env) fetch(ctx context.Context, method, url string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, bytes.TrimSpace(answer))
	}
	return answer, err
}
