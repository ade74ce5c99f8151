package leaderelection

import (
	"fmt"
	"strings"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// countingMetric is a provider and its only metric.
type countingMetric struct {
	mu    sync.Mutex
	heard []string
}

func (m *countingMetric) NewLeaderMetric() LeaderMetric { return m }
func (m *countingMetric) On(string)                     { m.record("on") }
func (m *countingMetric) Off(string)                    { m.record("off") }
func (m *countingMetric) SlowpathExercised(string)      { m.record("slow") }

func (m *countingMetric) record(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, s)
}

func (m *countingMetric) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.heard, " ")
}

// eventLog is an EventRecorder.
type eventLog struct{ all []string }

func (l *eventLog) Eventf(obj runtime.Object, eventType, reason, message string, args ...any) {
	o := obj.(*coordinationv1.Lease)
	l.all = append(l.all, fmt.Sprintf("%s %s/%s %s %s %s %s", o.Kind, o.Namespace, o.Name, o.UID, eventType, reason, fmt.Sprintf(message, args...)))
}
