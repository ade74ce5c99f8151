package metrics

import (
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

// requests makes one of each sort.
func requests(t testing.TB, server *apitest.Server, config *rest.Config) {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	pods := client.CoreV1().Pods("default")
	if _, err := pods.List(background, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(background, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	for range w.ResultChan() { // it ends
	}
	maps := client.CoreV1().ConfigMaps("default")
	if _, err := maps.Create(background, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, _ = maps.Get(background, "none", metav1.GetOptions{})
	busy, err := server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"delete"}}, Effect: apitest.AnswerTooManyRequests, Times: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Remove()
	if err := maps.Delete(background, "x", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestREST(t *testing.T) {
	server, config := newServer(t, apitest.Config{})
	m, registry := mustNew(t)
	r := m.REST()
	config.Metrics, config.QPS, config.Burst = r, 1000, 1000
	requests(t, server, config)
	host := strings.TrimPrefix(server.URL(), "https://")
	got := gather(t, registry)
	at := func(labels string) string { return strings.ReplaceAll(labels, "HOST", `host="`+host+`"`) }
	got.expect(t, "rest_client_requests_total", map[string]float64{
		at(`code="200",HOST,method="GET"`): 2, at(`code="404",HOST,method="GET"`): 1, at(`code="201",HOST,method="POST"`): 1,
		at(`code="429",HOST,method="DELETE"`): 1, at(`code="200",HOST,method="DELETE"`): 1,
	})
	got.expect(t, "rest_client_request_retries_total", map[string]float64{at(`code="200",HOST,verb="DELETE"`): 1})
	got.expect(t, "rest_client_request_duration_seconds", map[string]float64{
		at(`HOST,verb="GET"`): 3, at(`HOST,verb="POST"`): 1, at(`HOST,verb="DELETE"`): 1,
	})
	got.expect(t, "rest_client_rate_limiter_duration_seconds", map[string]float64{ // not of the watch
		at(`HOST,verb="GET"`): 2, at(`HOST,verb="POST"`): 1, at(`HOST,verb="DELETE"`): 2,
	})
	got.expect(t, "rest_client_request_size_bytes", map[string]float64{
		at(`HOST,verb="GET"`): 3, at(`HOST,verb="POST"`): 1, at(`HOST,verb="DELETE"`): 2,
	})
	got.expect(t, "rest_client_response_size_bytes", map[string]float64{
		at(`HOST,verb="GET"`): 2, at(`HOST,verb="POST"`): 1, at(`HOST,verb="DELETE"`): 1,
	})
	server.RefuseConnections()
	server.CutConnections()
	client := kubernetes.NewForConfigOrDie(config)
	if _, err := client.CoreV1().Pods("default").List(background, metav1.ListOptions{}); err == nil {
		t.Error("no error")
	}
	if v := gather(t, registry)["rest_client_requests_total{"+at(`code="<error>",HOST,method="GET"`)+"}"]; v < 1 {
		t.Errorf("%v requests without an answer", v)
	}
	r.Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("after Close there are %v", got)
	}
}

// Clusters come and go while requests are under way, and two parts of a program may speak to one.
func TestHostsEnd(t *testing.T) {
	m, registry := mustNew(t)
	first, second := m.REST(), m.REST()
	for _, r := range []*REST{first, second} {
		r.Attempted(rest.Attempt{Verb: "GET", Host: "shared", Code: 200})
	}
	first.Attempted(rest.Attempt{Verb: "GET", Host: "own"})
	var busy sync.WaitGroup
	for range 4 {
		busy.Go(func() {
			for range 1000 {
				first.Finished("GET", "own", time.Second, 1)
			}
		})
	}
	first.Close()
	busy.Wait()
	first.Throttled("GET", "late", 0)
	gather(t, registry).expect(t, "rest_client_requests_total", map[string]float64{`code="200",host="shared",method="GET"`: 2})
	second.Close()
	second.Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}
