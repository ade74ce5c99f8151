package record

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// StartLogging writes a line for each event from now on.
func (b *Broadcaster) StartLogging(logf func(format string, args ...any)) watch.Interface {
	if logf == nil {
		panic("record: StartLogging: function is nil")
	}
	return b.listen("log", func(_ context.Context, e *corev1.Event) {
		about := &e.InvolvedObject
		logf("%s event about %s %s/%s: %s: %s", e.Type, about.Kind, about.Namespace, about.Name, e.Reason, e.Message)
	})
}

// StartStructuredLogging logs each event from now on to the logger of the broadcaster: Config.Logger, or the one in the
// context of [WithContext]. If there is none, it uses slog.Default. Verbosity 0 is slog.LevelInfo, and each step more is
// one level less.
func (b *Broadcaster) StartStructuredLogging(verbosity int) watch.Interface {
	logger := b.config.Logger
	if logger == nil {
		logger = slog.Default()
	}
	level := slog.LevelInfo - slog.Level(max(verbosity, 0))
	return b.listen("log", func(ctx context.Context, e *corev1.Event) {
		about := &e.InvolvedObject
		logger.LogAttrs(ctx, level, "event", slog.String("object", about.Namespace+"/"+about.Name),
			slog.String("kind", about.Kind), slog.String("apiVersion", about.APIVersion), slog.String("fieldPath", about.FieldPath),
			slog.String("type", e.Type), slog.String("reason", e.Reason), slog.String("message", e.Message))
	})
}

// loggerFrom returns the logger in a context, or nil.
func loggerFrom(ctx context.Context) *slog.Logger {
	if ctx == nil {
		return nil
	}
	return logr.FromContextAsSlogLogger(ctx)
}

// topic is the kind of an error, for rate limiting.
type topic int

const (
	aboutRefusal topic = iota
	aboutDrop
	aboutRejection
	aboutFailure
	aboutRetry
	aboutPanic
	aboutEnd
	topics
)

// complaintInterval is the minimum time between two log lines about one topic. In between they are counted.
const complaintInterval = 10 * time.Second

// complaints limits the rate of log lines about errors.
type complaints struct {
	mu         sync.Mutex
	last       [topics]time.Time
	suppressed [topics]int
}

// complain logs a message, unless one about this topic was logged recently. logger may be nil. No lock may be held.
func (c *complaints) complain(logger *slog.Logger, topic topic, level slog.Level, message string, args ...any) {
	if logger == nil || !logger.Enabled(context.Background(), level) {
		return
	}
	now := time.Now()
	c.mu.Lock()
	if last := c.last[topic]; !last.IsZero() && now.Sub(last) < complaintInterval {
		c.suppressed[topic]++
		c.mu.Unlock()
		return
	}
	suppressed := c.suppressed[topic]
	c.last[topic], c.suppressed[topic] = now, 0
	c.mu.Unlock()
	logger.Log(context.Background(), level, message, append(args, "suppressed", suppressed)...)
}
