package transport

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestLogging(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	req, _ := http.NewRequest(http.MethodPost, "https://alice:hunter2@host/api/v1/pods?watch=true&limit=5&command=hunter2&to+ken=hunter2", strings.NewReader("hunter2"))
	req.Header.Set("Authorization", "Bearer hunter2")

	if _, err := NewLoggingRoundTripper(logger, answering(404, nil)).RoundTrip(req); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"method=POST", `url="https://host/api/v1/pods?command=...&limit=5&to+ken=...&watch=true"`, "status=404", "duration="} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log %q lacks %q", out.String(), want)
		}
	}
	failing := roundTripperFunc(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") })
	_, _ = NewLoggingRoundTripper(logger, failing).RoundTrip(req)
	if !strings.Contains(out.String(), `err="no route"`) {
		t.Errorf("the log %q lacks the error", out.String())
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("the log shows a secret: %s", out.String())
	}

	out.Reset()
	quiet := slog.New(slog.NewTextHandler(&out, nil))
	for _, l := range []*slog.Logger{nil, quiet} {
		if _, err := NewLoggingRoundTripper(l, answering(200, nil)).RoundTrip(req.WithContext(context.Background())); err != nil || out.Len() > 0 {
			t.Errorf("logged %q (%v)", out.String(), err)
		}
	}
}
