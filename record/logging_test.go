package record

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
)

func TestStartLogging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBroadcaster()
		var lines []string
		b.StartLogging(func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
		b.NewRecorder(coreScheme(), testSource).Event(podNamed("a"), "Warning", "BackOff", "100% failed")
		b.Shutdown()
		if want := []string{"Warning event about Pod ns/a: BackOff: 100% failed"}; !slices.Equal(lines, want) {
			t.Errorf("got %q, want %q", lines, want)
		}
	})
}

func TestStartStructuredLogging(t *testing.T) {
	for name, tt := range map[string]struct {
		level     slog.Level
		verbosity int
		lines     int
	}{
		"most important":       {slog.LevelInfo, 0, 1},
		"a negative one":       {slog.LevelInfo, -3, 1},
		"too much detail":      {slog.LevelInfo, 1, 0},
		"detail that is asked": {-2, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var own, contexts logBook
				configured := mustNew(t, Config{Logger: own.logger(tt.level)})
				ctx := logr.NewContext(context.Background(), logr.FromSlogHandler(contexts.logger(tt.level).Handler()))
				for _, b := range []EventBroadcaster{configured, NewBroadcaster(WithContext(ctx))} {
					b.StartStructuredLogging(tt.verbosity)
					b.NewRecorder(coreScheme(), testSource).Event(podNamed("a"), "Warning", "BackOff", "it failed")
					b.Shutdown()
				}
				for _, log := range []*logBook{&own, &contexts} {
					if got := log.lines(); len(got) != tt.lines {
						t.Errorf("got %q, want %d lines", got, tt.lines)
					}
					if tt.lines > 0 {
						wantText(t, log.lines()[0], "object=ns/a", "kind=Pod", "type=Warning", "reason=BackOff", `message="it failed"`)
					}
				}
			})
		})
	}
}

// Who asks for structured logging and has given no logger gets the default one; nothing else is said to it.
func TestStructuredLoggingWithoutALogger(t *testing.T) {
	var log logBook
	old := slog.Default()
	slog.SetDefault(log.logger(0))
	defer slog.SetDefault(old)
	synctest.Test(t, func(t *testing.T) {
		b := NewBroadcaster()
		b.StartStructuredLogging(0)
		recorder := b.NewRecorder(coreScheme(), testSource)
		recorder.Event(podNamed("a"), "Warning", "BackOff", "it failed")
		recorder.Event(nil, "Warning", "BackOff", "refused")
		b.Shutdown()
	})
	if got := log.lines(); len(got) != 1 || !strings.Contains(got[0], "it failed") {
		t.Errorf("got %q", got)
	}
}

// A sink that is down is told of at the first try that fails, not when all have.
func TestASinkThatIsDownIsSaidAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logBook
		b, recorder := started(t, Config{Logger: log.logger(0)}, &memorySink{fail: down})
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if lines := log.lines(); len(lines) != 1 {
			t.Fatalf("the log has %q, want one line", lines)
		}
		wantText(t, log.lines()[0], "level=WARN", "Event not written, retrying", "connection refused", "Pod ns/a", "event=ns/a.")
		if s := b.Stats(); s.LastError != errDown || s.Failed != 0 {
			t.Errorf("got %+v", s)
		}
	})
}

// Errors of many events do not fill the log: one line in ten seconds, that says how many it stands for.
func TestComplaintsAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logBook
		b := mustNew(t, Config{Logger: log.logger(0), Queue: 1})
		release := make(chan struct{})
		b.StartEventWatcher(func(*corev1.Event) { <-release })
		recorder := b.NewRecorder(coreScheme(), testSource)
		for range 150 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
			time.Sleep(100 * time.Millisecond)
		}
		close(release)
		b.Shutdown()
		lines := slices.DeleteFunc(log.lines(), func(line string) bool { return !strings.Contains(line, "Dropped event") })
		if len(lines) != 2 {
			t.Fatalf("the log has %q, want two lines in fifteen seconds", lines)
		}
		wantText(t, lines[0], "suppressed=0", "queue=1", "TestComplaintsAreRare")
		wantText(t, lines[1], "suppressed=99")
	})
}
