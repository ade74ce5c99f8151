package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/console"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

// password is in a Secret, and must be seen nowhere.
const password = "correct-horse-battery-staple"

// program is one with informers, controllers and a page, on an API server of its own.
type program struct {
	url     string
	server  *apitest.Server
	pods    *controller.Controller[cache.ObjectName]
	stall   chan struct{} // the second handler of deployments does not return until it is closed
	release func()
}

// stuckPod is the name of a pod whose reconcile never ends, until the program does.
const stuckPod = "stuck"

// newProgram starts a program. With stall, a handler of deployments blocks.
func newProgram(t *testing.T, stall bool) *program {
	t.Helper()
	p := &program{server: apitest.New(t, apitest.Config{CreateNamespaces: true, Objects: objects()}), stall: make(chan struct{})}
	p.release = sync.OnceFunc(func() { close(p.stall) })
	if err := p.server.Fill(t.Context(), apitest.Load{Pods: 300, Namespaces: 3}); err != nil {
		t.Fatal(err)
	}
	config := p.server.RESTConfig()
	config.QPS = -1
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	pods, deployments := factory.Core().V1().Pods(), factory.Apps().V1().Deployments()
	factory.Core().V1().Secrets().Informer()
	if stall {
		_, err := deployments.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { <-p.stall }})
		if err != nil {
			t.Fatal(err)
		}
	}
	reconciles := &console.Reconciles{}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[cache.ObjectName]())
	p.pods = newController(t, "pod-labels", reconciles, queue, controller.For(pods.TypedInformer()))
	scaler := newController(t, "scaler", reconciles, nil, controller.For(deployments.TypedInformer()))

	page := console.Handler(console.Config{
		Title:       "shop-operator",
		Informers:   []console.Informers{console.Factory("", factory)},
		Controllers: []console.Controller{p.pods, scaler},
		Queues:      []console.Queue{console.QueueOf[cache.ObjectName]("pod-labels", queue)},
		Reconciles:  reconciles,
		Shards:      map[string]console.Sharded{"pods": shards{}},
	})
	mux := http.NewServeMux()
	mux.Handle("/debug/vedette/", page)
	web := httptest.NewServer(mux)
	p.url = web.URL + "/debug/vedette/"

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	factory.StartWithContext(ctx)
	running.Go(func() { _ = p.pods.Run(ctx) })
	running.Go(func() { _ = scaler.Run(ctx) })
	p.churn(ctx, t)
	t.Cleanup(func() {
		p.release()
		cancel()
		running.Wait()
		factory.Shutdown()
		page.Close()
		web.Close()
	})
	return p
}

func newController(t *testing.T, name string, metrics controller.Metrics, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], source controller.Source[cache.ObjectName]) *controller.Controller[cache.ObjectName] {
	t.Helper()
	n := 0
	var mu sync.Mutex
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: name, Workers: 4, Metrics: metrics, Queue: queue, StopTimeout: -1, Sources: []controller.Source[cache.ObjectName]{source},
		Reconcile: func(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
			if key.Name == stuckPod {
				<-ctx.Done()
				return controller.Result{}, ctx.Err()
			}
			mu.Lock()
			n++
			nth := n
			mu.Unlock()
			time.Sleep(time.Duration(nth%7) * time.Millisecond)
			if nth%50 == 0 {
				return controller.Result{}, errors.New("the quota of the namespace is used up")
			}
			return controller.Result{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// churn keeps the objects of the server changing.
func (p *program) churn(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, churn := range []apitest.Churn{{Rate: 80, Mix: apitest.Mix{Updates: 9, Labels: 1}}, {Rate: 8, Resource: appsv1.SchemeGroupVersion.WithResource("deployments"), Mix: apitest.Mix{Updates: 1}}} {
		churner, err := p.server.Churn(ctx, churn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(churner.Stop)
	}
}

func objects() []runtime.Object {
	all := []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "database", Annotations: map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"password":"` + password + `"}}`,
			}},
			Data: map[string][]byte{"password": []byte(password)},
		},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: stuckPod}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "x"}}}},
	}
	for i := range 12 {
		labels := map[string]string{"app": fmt.Sprintf("web-%d", i)}
		all = append(all, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("web-%d", i), Labels: labels},
			Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
			}},
		})
	}
	return all
}

// shards is a map of shards as a sharding informer could have it.
type shards struct{}

func (shards) Shards() []console.ShardView {
	var all []console.ShardView
	for i := range 6 {
		s := console.ShardView{
			ID: fmt.Sprintf("s%d", i), Holder: fmt.Sprintf("replica-%d", i%3), Scope: fmt.Sprintf("hash %d/6", i), Objects: 900 + 130*i,
			Bytes: int64(7e6 + 1e6*i), EventsPerSecond: float64(30 + i), Lag: 2 * time.Millisecond, State: "watching",
		}
		if i == 4 {
			s.State, s.Cause = "backing off", errors.New("the watch of pods was refused")
		}
		all = append(all, s)
	}
	return all
}
