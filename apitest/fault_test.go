package apitest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

const (
	asJSON     = "application/json"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

var configMapsResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// inject is for faults that are right.
func inject(t testing.TB, server *apitest.Server, text string) *apitest.Injection {
	t.Helper()
	fault, err := apitest.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	injection, err := server.Inject(fault)
	if err != nil {
		t.Fatal(err)
	}
	return injection
}

// closed closes the connections of a configuration when the test is over.
func closed(t testing.TB, config *rest.Config) *rest.Config {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return config
}

func dynamicClient(t testing.TB, config *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func fillMaps(t testing.TB, server *apitest.Server, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := server.Create(t.Context(), configMap(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// listOnce lists config maps without sending the request again, whatever comes.
func listOnce(ctx context.Context, client kubernetes.Interface) (code int, err error) {
	result := client.CoreV1().RESTClient().Get().Resource("configmaps").Namespace("default").MaxRetries(0).Do(ctx)
	return codeOf(result), result.Error()
}

func codeOf(result rest.Result) (code int) {
	result.StatusCode(&code)
	return code
}

// What a client sees of each answer, in both encodings.
func TestFaultAnswers(t *testing.T) {
	for fault, want := range map[string]struct {
		code    int
		reason  metav1.StatusReason
		message string
		after   int // seconds
	}{
		"401":                    {401, metav1.StatusReasonUnauthorized, "Unauthorized", 0},
		"403":                    {403, metav1.StatusReasonForbidden, `configmaps is forbidden: User "admin" cannot list resource "configmaps" in API group "" in the namespace "default"`, 0},
		"404":                    {404, metav1.StatusReasonNotFound, "the server could not find the requested resource", 0},
		"409":                    {409, metav1.StatusReasonConflict, `Operation cannot be fulfilled on configmaps "": the object has been modified; please apply your changes to the latest version and try again`, 0},
		"410":                    {410, metav1.StatusReasonExpired, "The resourceVersion for the provided list is too old.", 0},
		"410-gone":               {410, metav1.StatusReasonGone, "The resourceVersion for the provided list is too old.", 0},
		"429":                    {429, metav1.StatusReasonTooManyRequests, "the server has received too many requests and has asked us to try again later (get configmaps)", 1},
		"429 retry-after=7s":     {429, metav1.StatusReasonTooManyRequests, "the server has received too many requests and has asked us to try again later (get configmaps)", 7},
		"500":                    {500, metav1.StatusReasonUnknown, "etcdserver: leader changed", 0},
		"502":                    {502, metav1.StatusReasonInternalError, `an error on the server ("<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>") has prevented the request from succeeding (get configmaps)`, 0},
		"503":                    {503, metav1.StatusReasonServiceUnavailable, "apiserver is shutting down", 0},
		"504":                    {504, metav1.StatusReasonTimeout, "Timeout: request did not complete within the allotted timeout", 0},
		"conversion-failed":      {500, metav1.StatusReasonUnknown, `conversion webhook for /v1, Kind=ConfigMap failed: Post "https://127.0.0.1:9443/convert?timeout=30s": dial tcp 127.0.0.1:9443: connect: connection refused`, 0},
		"500 retry-after=2s p=1": {500, metav1.StatusReasonUnknown, "etcdserver: leader changed", 0},
	} {
		for _, media := range []string{asJSON, asProtobuf} {
			t.Run(fault+"/"+media, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				config := server.RESTConfig()
				config.ContentType = media
				injection := inject(t, server, "list configmaps: "+fault+" times=1")
				client := clientset(t, config)
				code, err := listOnce(t.Context(), client)
				status := statusOf(t, err)
				if code != want.code || int(status.Code) != want.code || status.Reason != want.reason || status.Message != want.message {
					t.Errorf("%d: %d %q %q", code, status.Code, status.Reason, status.Message)
				}
				if after, _ := apierrors.SuggestsClientDelay(err); after != want.after {
					t.Errorf("come back after %d s, want %d", after, want.after)
				}
				if code, err := listOnce(t.Context(), client); code != http.StatusOK || injection.Hits() != 1 {
					t.Errorf("afterwards: %d %v, hit %d times", code, err, injection.Hits())
				}
			})
		}
	}
}

func statusOf(t testing.TB, err error) metav1.Status {
	t.Helper()
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		t.Fatalf("not an answer of the server: %v", err)
	}
	return status.Status()
}

// What is told about an object names it.
func TestFaultAnswersNameTheObject(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	maps := clientset(t, server.RESTConfig()).CoreV1().ConfigMaps("default")
	for fault, do := range map[string]struct {
		message string
		do      func() error
	}{
		"get configmaps name=a: 404 times=1": {`configmaps "a" not found`, func() error {
			_, err := maps.Get(t.Context(), "a", metav1.GetOptions{})
			return err
		}},
		"create configmaps: 409 times=1": {`configmaps "b" already exists`, func() error {
			_, err := maps.Create(t.Context(), configMap("b"), metav1.CreateOptions{})
			return err
		}},
		"delete *: 409 times=1": {`Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again`, func() error {
			return maps.Delete(t.Context(), "c", metav1.DeleteOptions{})
		}},
		"watch configmaps: 410 times=1": {"The resourceVersion for the provided watch is too old.", func() error {
			_, err := maps.Watch(t.Context(), metav1.ListOptions{})
			return err
		}},
	} {
		injection := inject(t, server, fault)
		if err := do.do(); err == nil || err.Error() != do.message {
			t.Errorf("%s: %v", fault, err)
		}
		if injection.Hits() != 1 {
			t.Errorf("%s: hit %d times", fault, injection.Hits())
		}
	}
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 0 {
		t.Errorf("%d were created, %v", len(list.Items), err)
	}
}

// A server without connections has the faults that need none.
func TestFaultsInProcess(t *testing.T) {
	server := apitest.New(t, apitest.Config{InProcess: true})
	client := clientset(t, server.RESTConfig())
	inject(t, server, "list configmaps: 500 times=1")
	inject(t, server, "list configmaps: slow delay=1ms")
	inject(t, server, "list configmaps: garbage after=1 times=1")
	inject(t, server, "watch configmaps: duplicate")
	fillMaps(t, server, "a")
	if code, err := listOnce(t.Context(), client); code != 500 {
		t.Errorf("%d, %v", code, err)
	}
	for _, want := range []bool{true, false, true} {
		if _, err := client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{}); (err == nil) != want {
			t.Error(err)
		}
	}
	w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	expect(t, w, watch.Added, "a")
	expect(t, w, watch.Added, "a")
}

// next waits for an event, or for the end.
func next(t testing.TB, w watch.Interface) (event watch.Event, open bool) {
	t.Helper()
	select {
	case event, open = <-w.ResultChan():
	case <-time.After(10 * time.Second):
		t.Fatal("no event came, and the watch did not end")
	}
	return event, open
}
