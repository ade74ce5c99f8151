package ctrl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"vedette.dev/apitest"
	"vedette.dev/bridge/ctrl"
	"vedette.dev/console"
	"vedette.dev/controller"
)

// work is a reconciler that does what the name of a config map says.
type work struct{ release chan struct{} }

func (w work) Reconcile(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
	switch request.Name {
	case "busy":
		<-w.release
	case "bad":
		return reconcile.Result{}, errors.New("it is bad")
	case "hopeless":
		return reconcile.Result{}, reconcile.TerminalError(errors.New("it is hopeless"))
	case "later":
		return reconcile.Result{RequeueAfter: time.Hour}, nil
	case "panics":
		panic("it panics")
	}
	return reconcile.Result{}, nil
}

// operator is a manager with a controller of config maps, which watches pods, too.
type operator struct {
	server *apitest.Server
	url    string
	work   work
	stop   func()
}

// operatorConfig configures an operator.
type operatorConfig struct {
	// name is that of the controller, names those of the config maps.
	name  string
	names []string
	// plain is for queues without priorities, errors for a Reconciler that remembers errors.
	plain, errors bool
	change        func(*manager.Options)
}

// newOperator runs an operator until the test ends.
func newOperator(t *testing.T, config operatorConfig) *operator {
	t.Helper()
	server, restConfig := newServer(t)
	o := &operator{server: server, work: work{make(chan struct{})}}
	for _, name := range config.names {
		if _, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: named(name)}); err != nil {
			t.Fatal(err)
		}
	}
	address := freeAddress(t)
	o.url = "http://" + address
	mgr := newManager(t, restConfig, address, func(options *manager.Options) {
		if config.plain {
			options.Controller.UsePriorityQueue = new(false)
		}
		if config.change != nil {
			config.change(options)
		}
	})
	var reconciler reconcile.Reconciler = o.work
	if config.errors {
		reconciler = ctrl.Reconciler(mgr, config.name, o.work)
	}
	options := ctrlcontroller.Options{
		MaxConcurrentReconciles: 2, NewQueue: ctrl.QueueFor[reconcile.Request](mgr),
		RateLimiter: slowly{}, // so that keys that fail stay where they are
	}
	none := func(context.Context, client.Object) []reconcile.Request { return nil }
	err := builder.ControllerManagedBy(mgr).Named(config.name).For(&corev1.ConfigMap{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(none)).WithOptions(options).Complete(reconciler)
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.MountConsole(mgr, console.Config{}); err != nil {
		t.Fatal(err)
	}
	o.stop = startManager(t, mgr)
	t.Cleanup(func() { close(o.work.release) })
	return o
}

// slowly is a rate limiter that lets a key be tried again after an hour.
type slowly struct{}

func (slowly) When(reconcile.Request) time.Duration { return time.Hour }
func (slowly) Forget(reconcile.Request)             {}
func (slowly) NumRequeues(r reconcile.Request) int {
	if r.Name == "bad" || r.Name == "panics" {
		return 1
	}
	return 0
}

// page asks the page for a view as JSON.
func (o *operator) page(t *testing.T, view string, into any) {
	t.Helper()
	status, text := get(t, o.url+ctrl.ConsolePath+view)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", view, status, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v: %s", view, err, text)
	}
}

// explain asks the page where a key is, until it is at a stage.
func (o *operator) explain(t *testing.T, key string, stage controller.Stage) controller.Explanation {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		status, text := get(t, o.url+ctrl.ConsolePath+"explain?format=json&key="+key)
		var all []controller.Explanation
		if status == http.StatusOK {
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			if len(all) == 1 && all[0].Stage == stage {
				return all[0]
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not %q: %s", key, stage, text)
		}
	}
}

// queuesView is the view of queues, as far as a test wants it.
type queuesView struct {
	Queues []struct {
		Name       string
		Controller *struct {
			Phase                        string
			Workers, Queued              int
			Busy                         []controller.Busy
			Reconciles, Failures, Panics uint64
		}
		Waiting []struct {
			Key     string
			Retries int
		}
	}
}

func TestThePageShowsControllers(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			began := time.Now()
			name := fmt.Sprintf("shown-%v", plain)
			o := newOperator(t, operatorConfig{name: name, plain: plain, names: []string{"busy", "bad", "hopeless", "later", "panics"}})
			for key, stage := range map[string]controller.Stage{
				"bad": controller.StageBackingOff, "panics": controller.StageBackingOff, "later": controller.StageDelayed,
				"hopeless": controller.StageGivenUp, "a": controller.StageDone, "busy": controller.StageWorking,
			} {
				o.explain(t, "default/"+key, stage)
			}
			time.Sleep(1100 * time.Millisecond) // readings are kept for a second
			var view queuesView
			o.page(t, "queues?format=json", &view)
			if len(view.Queues) != 1 || view.Queues[0].Controller == nil || view.Queues[0].Name != name {
				t.Fatalf("the queues are %+v", view)
			}
			c := view.Queues[0].Controller
			if c.Phase != "running" || c.Workers != 2 || c.Queued != 0 || c.Reconciles != 5 || c.Failures != 3 || c.Panics != 1 {
				t.Errorf("the controller is %+v", c)
			}
			if len(c.Busy) != 1 || c.Busy[0].Key != "default/busy" || c.Busy[0].Since.Before(began) {
				t.Errorf("busy are %+v", c.Busy)
			}
			waiting := map[string]int{}
			for _, key := range view.Queues[0].Waiting {
				waiting[key.Key] = key.Retries
			}
			if len(waiting) != 3 || waiting["default/bad"] != 1 || waiting["default/later"] != 0 {
				t.Errorf("the keys that wait are %v", waiting)
			}
			// The pipeline has the controller behind the informers that feed it.
			var pipeline struct {
				Lanes []struct {
					Name  string
					Tails []struct{ Name, What string }
				}
			}
			o.page(t, "?format=json", &pipeline)
			fed := map[string]bool{}
			for _, lane := range pipeline.Lanes {
				for _, tail := range lane.Tails {
					fed[lane.Name] = tail.Name == name && tail.What == "controller"
				}
			}
			if !fed["core/v1.ConfigMap"] || !fed["core/v1.Pod"] {
				t.Errorf("the pipeline is %+v", pipeline)
			}
		})
	}
}

// TestWhereAKeyIs asks for keys at each stage.
func TestWhereAKeyIs(t *testing.T) {
	o := newOperator(t, operatorConfig{name: "explained", errors: true, names: []string{"busy", "bad", "hopeless"}})
	working := o.explain(t, "default/busy", controller.StageWorking)
	if working.Since.IsZero() || working.Controller != "explained" {
		t.Errorf("%+v", working)
	}
	bad := o.explain(t, "default/bad", controller.StageBackingOff)
	if bad.LastError != "it is bad" || bad.Failures != 1 || bad.Since.IsZero() || time.Until(bad.Until) < 30*time.Minute || !strings.Contains(bad.Because, `queue "explained"`) {
		t.Errorf("%+v", bad)
	}
	if len(bad.History) != 1 || bad.History[0].Event != "error" || !bad.History[0].Reconciled {
		t.Errorf("the history is %+v", bad.History)
	}
	hopeless := o.explain(t, "default/hopeless", controller.StageGivenUp)
	if hopeless.LastError == "" {
		t.Errorf("%+v", hopeless)
	}
	good := o.explain(t, "default/a", controller.StageDone)
	stored, err := o.server.Get(t.Context(), corev1.SchemeGroupVersion.WithResource("configmaps"), "default", "a")
	if err != nil {
		t.Fatal(err)
	}
	pods, err := o.server.Get(t.Context(), corev1.SchemeGroupVersion.WithResource("pods"), "default", "a")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"for v1.ConfigMap": stored.(*corev1.ConfigMap).ResourceVersion,
		"watches v1.Pod":   pods.(*corev1.Pod).ResourceVersion, // of the same name
	}
	for _, source := range good.Sources {
		if source.Cached != want[source.Source] || !source.Ready || source.Error != "" {
			t.Errorf("%+v, want version %s", source, want[source.Source])
		}
	}
	if len(good.Sources) != 2 || good.LastError != "" || good.Since.IsZero() {
		t.Errorf("%+v", good)
	}
	unknown := o.explain(t, "default/nothing", controller.StageUnknown)
	if len(unknown.Sources) != 2 || unknown.Sources[0].Cached+unknown.Sources[1].Cached != "-" {
		t.Errorf("%+v", unknown.Sources)
	}
	o.explain(t, "nothing", controller.StageUnknown)

	// All workers are busy: the next one waits.
	for _, namespace := range []string{"x", "y"} {
		if _, err := o.server.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
			t.Fatal(err)
		}
		busy := &corev1.ConfigMap{ObjectMeta: named("busy")}
		busy.Namespace = namespace
		if _, err := o.server.Create(t.Context(), busy); err != nil {
			t.Fatal(err)
		}
		if namespace == "x" {
			o.explain(t, "x/busy", controller.StageWorking)
		}
	}
	waiting := o.explain(t, "y/busy", controller.StageWaiting)
	if waiting.Since.IsZero() || !strings.Contains(waiting.Because, "2 of 2 workers are busy") || !strings.Contains(waiting.Because, "the longest with default/busy") {
		t.Errorf("%+v", waiting)
	}
}
