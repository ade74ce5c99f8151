package cache

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// stage is a server that says what a test tells it to. It knows lists and watches, but no streaming lists.
type stage struct {
	mu      sync.Mutex
	list    corev1.PodList
	listErr error
	lists   int
	watcher *watch.FakeWatcher
}

func newStage(pods ...*corev1.Pod) *stage {
	s := &stage{}
	s.set("1", pods...)
	return s
}

// set is what the next list says.
func (s *stage) set(version string, pods ...*corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, p := range pods {
		s.list.Items = append(s.list.Items, *p)
	}
}

// fail has lists fail, until it is called with nil.
func (s *stage) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listErr = err
}

func (s *stage) lw() *ListWatch {
	return &ListWatch{ListFunc: s.listNow, WatchFunc: s.watchNow}
}

func (s *stage) listNow(metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	return s.list.DeepCopy(), s.listErr
}

func (s *stage) watchNow(opts metav1.ListOptions) (watch.Interface, error) {
	if opts.SendInitialEvents != nil {
		return nil, apierrors.NewBadRequest("sendInitialEvents is not known here")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watcher = watch.NewFakeWithChanSize(100, false)
	return s.watcher, nil
}

// current is the watch that is under way.
func (s *stage) current() *watch.FakeWatcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watcher
}

// relist has the informer list again.
func (s *stage) relist() {
	s.current().Error(&apierrors.NewResourceExpired("too old").ErrStatus)
}

// diary is a handler that writes down what it hears.
type diary struct {
	mu    sync.Mutex
	lines []string
	// during, if set, is called in each call.
	during func(line string)
}

func (d *diary) write(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	d.mu.Lock()
	d.lines = append(d.lines, line)
	d.mu.Unlock()
	if d.during != nil {
		d.during(line)
	}
}

// read returns what was written since it was last called.
func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *diary) OnAdd(obj any, isInInitialList bool) {
	if isInInitialList {
		d.write("initially %s", short(obj))
		return
	}
	d.write("add %s", short(obj))
}

func (d *diary) OnUpdate(oldObj, newObj any) {
	d.write("update %s to %s", short(oldObj), short(newObj))
}

func (d *diary) OnDelete(obj any) { d.write("delete %s", short(obj)) }

// short is name@version, with a question mark if it was not seen.
func short(obj any) string {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return short(d.Obj) + "?"
	}
	p, ok := obj.(*corev1.Pod)
	if !ok {
		return fmt.Sprintf("%T", obj)
	}
	return p.Name + "@" + p.ResourceVersion
}

// uid is a pod of some identity.
func uid(name, version, uid string) *corev1.Pod {
	p := pod("ns", name, version)
	p.UID = types.UID(uid)
	return p
}

// inBubble runs an informer on a stage in a synctest bubble, and stops it at the end.
func inBubble(t *testing.T, s *stage, options SharedIndexInformerOptions, test func(t *testing.T, informer *informer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, options).(*informer)
		run(t, i)
		test(t, i)
	})
}

// run starts an informer that stops with the test.
func run(t *testing.T, i SharedIndexInformer) {
	t.Helper()
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		i.Run(stop)
	}()
	t.Cleanup(func() {
		close(stop)
		<-ended
	})
	synctest.Wait()
}

func listen(t *testing.T, i SharedIndexInformer, h ResourceEventHandler, options HandlerOptions) ResourceEventHandlerRegistration {
	t.Helper()
	r, err := i.AddEventHandlerWithOptions(h, options)
	mustNot(t, err)
	synctest.Wait()
	return r
}

// apiObject is a Kubernetes object, of whatever kind.
type apiObject interface {
	runtime.Object
	metav1.Object
}
