package cache

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/objdiff"
)

func richPod() *corev1.Pod {
	p := labelled(pod("ns", "a", "1"), "app", "x")
	p.Spec.Containers = []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{"cpu": resource.MustParse("1")},
	}}}
	return p
}

func TestTheDetectorNamesObjectAndFields(t *testing.T) {
	now := metav1.Unix(1000, 0)
	for want, change := range map[string]func(*corev1.Pod){
		`Labels["app"]: "x" became "y"`:                       func(p *corev1.Pod) { p.Labels["app"] = "y" },
		`Labels["new"]: "z" was added`:                        func(p *corev1.Pod) { p.Labels["new"] = "z" },
		`Labels["app"]: "x" was removed`:                      func(p *corev1.Pod) { delete(p.Labels, "app") },
		`Spec.Containers[0].Image: "i" became "j"`:            func(p *corev1.Pod) { p.Spec.Containers[0].Image = "j" },
		`Spec.Containers[1]: `:                                func(p *corev1.Pod) { p.Spec.Containers = append(p.Spec.Containers, corev1.Container{}) },
		`Spec.Containers[0].Resources.Limits["cpu"]: `:        func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits["cpu"] = resource.MustParse("2") },
		`DeletionTimestamp: <nil> became 1970-01-01`:          func(p *corev1.Pod) { p.DeletionTimestamp = &now },
		`Spec.HostNetwork: false became true`:                 func(p *corev1.Pod) { p.Spec.HostNetwork = true },
		`Annotations: map[] became map[]`:                     func(p *corev1.Pod) { p.Annotations = map[string]string{} },
		`Finalizers: [] became []`:                            func(p *corev1.Pod) { p.Finalizers = []string{} },
		`Spec.HostNetwork: false became true; Spec.HostPID: `: func(p *corev1.Pod) { p.Spec.HostNetwork, p.Spec.HostPID = true, true },
	} {
		before, after := richPod(), richPod()
		change(after)
		got := strings.Join(objdiff.Values(before, after), "; ")
		if !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	wantEqual(t, "no change", objdiff.Values(richPod(), richPod()), []string(nil))
	many := richPod()
	for i := range 30 {
		many.Labels[fmt.Sprint(i)] = "x"
	}
	wantEqual(t, "the last of many", objdiff.Values(richPod(), many)[20], "and 10 more")
}

func TestTheDetectorReportsEachChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		d, err := NewMutationDetector(MutationDetectorConfig{Name: "pods", Report: func(m ObjectMutation) { reports = append(reports, m.String()) }})
		mustNot(t, err)
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() { d.Run(stop); close(ended) }()
		p := richPod()
		for range 2 {
			d.AddObject(p)
		}
		for _, other := range []any{nil, "text", (*corev1.Pod)(nil), DeletedFinalStateUnknown{Obj: p}} {
			d.AddObject(other) // cannot be watched
		}
		// A change without a lock would be a race with the detector, which the race detector rightly reports.
		change := func(app string) {
			d.(*detector).mu.Lock()
			defer d.(*detector).mu.Unlock()
			p.Labels["app"] = app
		}
		time.Sleep(5 * time.Second)
		change("y")
		time.Sleep(3 * time.Minute) // still watched, among the old
		change("z")
		close(stop) // it checks once more
		<-ended
		sentence := `cache pods modified: *v1.Pod ns/a, which is shared and must not be changed (not read from the store): Labels["app"]: `
		wantEqual(t, "reports", reports, []string{sentence + `"x" became "y"`, sentence + `"y" became "z"`})
	})
}

func TestTheDetectorForgetsAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewCacheMutationDetector("pods")
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() { d.Run(stop); close(ended) }()
		d.AddObject(richPod())
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		wantEqual(t, "watched", len(d.(*detector).young)+len(d.(*detector).old), 0)
		close(stop)
		<-ended
	})
}

func TestTheDetectorPanicsUnlessItCanReport(t *testing.T) {
	d := NewCacheMutationDetector("pods")
	p := richPod()
	d.AddObject(p)
	p.Labels["app"] = "y"
	stop := make(chan struct{})
	close(stop)
	wantPanic(t, "cache pods modified: *v1.Pod ns/a", func() { d.Run(stop) })
	for _, c := range []MutationDetectorConfig{{Period: -1}, {Keep: -1}} {
		_, err := NewMutationDetector(c)
		wantError(t, err, "want 0 or more")
	}
}
