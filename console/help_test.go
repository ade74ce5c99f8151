//go:build !vedette_noconsole

package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

// request is one from this machine.
func request(view string) *http.Request {
	r := httptest.NewRequest("GET", "http://localhost:8080/debug/vedette/"+view, nil)
	r.RemoteAddr = "127.0.0.1:4711"
	return r
}

// get asks a page for a view.
func get(t *testing.T, page *Page, view string) (code int, text string) {
	t.Helper()
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, request(view))
	text = answer.Body.String()
	if strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		checkHTML(t, view, text)
	}
	return answer.Code, text
}

// want is get, and finds words in the answer.
func want(t *testing.T, page *Page, view string, words ...string) string {
	t.Helper()
	code, text := get(t, page, view)
	if code != http.StatusOK {
		t.Errorf("%s: status %d", view, code)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s: there is no %q in\n%s", view, word, text)
		}
	}
	return text
}

var (
	tags   = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)
	events = regexp.MustCompile(` on[a-z]+=`)
	links  = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	void   = []string{"meta", "link", "input", "img", "br"}
)

// checkHTML finds elements that are not closed, what the content security policy forbids, and addresses outside of the page.
func checkHTML(t *testing.T, view, text string) {
	t.Helper()
	var open []string
	for _, tag := range tags.FindAllStringSubmatch(text, -1) {
		closing, name, attributes := tag[1] == "/", tag[2], tag[3]
		switch {
		case strings.Contains(attributes, " style=") || events.MatchString(attributes):
			t.Errorf("%s: %s is forbidden by the policy", view, tag[0])
		case name == "script" && !closing && !strings.Contains(attributes, "src="):
			t.Errorf("%s: a script in the page is forbidden by the policy", view)
		case slices.Contains(void, name) || strings.HasSuffix(attributes, "/"):
		case !closing:
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("%s: </%s> closes %v", view, name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: not closed: %v", view, open)
	}
	for _, link := range links.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(link[1], "/") || strings.Contains(link[1], "//") {
			t.Errorf("%s: %s is not relative to the page", view, link[1])
		}
	}
	if strings.Contains(text, "cannot be shown") || strings.Contains(text, "ZgotmplZ") {
		t.Errorf("%s: a template failed:\n%s", view, text)
	}
}

// program is one that has all that a page shows.
type program struct {
	*Page
	server     *apitest.Server
	client     kubernetes.Interface
	factory    informers.SharedInformerFactory
	controller *controller.Controller[cache.ObjectName]
	reconciles *Reconciles
}

const password = "correct-horse-battery"

// withProgram runs a program in a bubble.
func withProgram(t *testing.T, reconcile func(context.Context, cache.ObjectName) (controller.Result, error), test func(t *testing.T, p *program)) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{server: apitest.New(t, apitest.Config{InMemory: true, Objects: population()}), reconciles: &Reconciles{}}
		config := p.server.RESTConfig()
		config.QPS = -1
		p.client = kubernetes.NewForConfigOrDie(config)
		p.factory = informers.NewSharedInformerFactory(p.client, 0)
		maps, secrets := p.factory.Core().V1().ConfigMaps(), p.factory.Core().V1().Secrets()
		secrets.Informer()
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[cache.ObjectName]())
		if reconcile == nil {
			reconcile = func(context.Context, cache.ObjectName) (controller.Result, error) { return controller.Result{}, nil }
		}
		var err error
		p.controller, err = controller.New(controller.Config[cache.ObjectName]{
			Name: "copier", Workers: 2, Reconcile: reconcile, Queue: queue, Metrics: p.reconciles, StopTimeout: -1,
			Sources: []controller.Source[cache.ObjectName]{controller.For(maps.TypedInformer())},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Page = Handler(Config{
			Title:       "shop",
			Informers:   []Informers{Factory("", p.factory)},
			Controllers: []Controller{p.controller},
			Queues:      []Queue{QueueOf[cache.ObjectName]("copier", queue)},
			Reconciles:  p.reconciles,
			Shards:      map[string]Sharded{"maps": fakeShards{}},
		})
		ctx, cancel := context.WithCancel(t.Context())
		p.factory.StartWithContext(ctx)
		ended := make(chan error, 1)
		go func() { ended <- p.controller.Run(ctx) }()
		defer func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			p.factory.Shutdown()
		}()
		synctest.Wait()
		test(t, p)
	})
}

// population is what the server has: configuration maps of growing size, and a secret.
func population() []runtime.Object {
	objects := []runtime.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", Annotations: map[string]string{
			lastApplied: `{"stringData":{"password":"` + password + `"}}`,
		}},
		Data: map[string][]byte{"password": []byte(password)},
	}}
	for i := range 5 {
		objects = append(objects, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("map-%d", i), Labels: map[string]string{"odd": fmt.Sprint(i % 2)}},
			Data:       map[string]string{"key": strings.Repeat("x", 100*i)},
		})
	}
	return objects
}
