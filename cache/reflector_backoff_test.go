package cache

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// ReflectorOptions.Backoff is in the place of the reflector's own ways.
func TestBackoffCanBeChosen(t *testing.T) {
	p := newPuppet("1")
	p.list = func(metav1.ListOptions) (runtime.Object, error) { return nil, errBad }
	backoff := &wait.Backoff{Duration: 10 * time.Second, Factor: 3, Steps: 5, Cap: time.Hour}
	reflecting(t, p, newPodStore(), ReflectorOptions{Backoff: backoff}, func(r *Reflector) {
		for _, want := range []time.Duration{10 * time.Second, 30 * time.Second, 90 * time.Second} {
			s := r.State()
			wantEqual(t, "wait", s.Until.Sub(s.Since), want)
			time.Sleep(want)
			synctest.Wait()
		}
		wantEqual(t, "failures", r.State().Failures, 4)
	})
}

// A random part is taken off a wait, and never added.
func TestBackoffStaysBelowFiveSecondsForTwoMinutes(t *testing.T) {
	p := newPuppet("1")
	p.list = func(metav1.ListOptions) (runtime.Object, error) { return nil, errBad }
	synctest.Test(t, func(t *testing.T) {
		r := NewReflector(p, &corev1.Pod{}, newPodStore(), 0)
		while(t, r, func() {
			for begin := time.Now(); time.Since(begin) < 2*time.Minute; {
				s := r.State()
				if d := s.Until.Sub(s.Since); d < 400*time.Millisecond || d > 5*time.Second {
					t.Fatalf("a wait of %v", d)
				}
				time.Sleep(s.Until.Sub(s.Since))
				synctest.Wait()
			}
		})
	})
}

// An hour of failures is two lines in the log: that it began, and that it is over.
func TestLogIsQuiet(t *testing.T) {
	var lines []string
	logger := funcr.New(func(prefix, args string) { lines = append(lines, args) }, funcr.Options{})
	p := newPuppet("1")
	good := p.list
	p.list = func(metav1.ListOptions) (runtime.Object, error) { return nil, errBad }
	reflecting(t, p, newPodStore(), ReflectorOptions{Logger: &logger}, func(r *Reflector) {
		time.Sleep(time.Hour)
		synctest.Wait()
		p.change(func() { p.list = good })
		time.Sleep(time.Minute)
		synctest.Wait()
		p.current().Add(pod("", "a", "2"))
		synctest.Wait()
	})
	if len(lines) != 2 || !strings.Contains(lines[0], "failed") || !strings.Contains(lines[1], "recovered") {
		t.Errorf("the log says %q", lines)
	}
}
