package componentbase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoinformers "k8s.io/client-go/informers"
	clientgokubernetes "k8s.io/client-go/kubernetes"
	clientgorest "k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	clientgoleaderelection "k8s.io/client-go/tools/leaderelection"
	clientgoresourcelock "k8s.io/client-go/tools/leaderelection/resourcelock"
	clientgoworkqueue "k8s.io/client-go/util/workqueue"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/restclient"
	_ "k8s.io/component-base/metrics/prometheus/workqueue"

	"vedette.dev/bridge"
	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
	"vedette.dev/workqueue"
)

// setup is what a program has to know.
type setup struct {
	On   string // "client-go", or "vedette", or "unforwarded": Vedette without ForwardMetrics
	Host string
}

// setupVariable has the setup of a program, as JSON. Without it the process runs the tests.
const setupVariable = "COMPONENTBASE_PROGRAM"

// limit is how long a program may take.
const limit = time.Minute

// metric is one series.
type metric struct {
	Type string
	// Value is that of a counter or gauge, or the number of observations of a histogram.
	Value float64
}

// program does the work and prints its series, as JSON.
func program(encoded string) error {
	var s setup
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var err error
	if s.On == "client-go" {
		err = onClientGo(ctx, s.Host)
	} else {
		err = onVedette(ctx, s.Host, s.On == "vedette")
	}
	if err != nil {
		return err
	}
	all, err := gather()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// gather returns the series that are exported and compared, by their names and labels.
func gather() (map[string]metric, error) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return nil, err
	}
	all := map[string]metric{}
	for _, family := range families {
		if !hasPrefix(family.GetName(), compared) || hasPrefix(family.GetName(), uncounted) {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, pair := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", pair.GetName(), pair.GetValue()))
			}
			exported := metric{Type: family.GetType().String()}
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				exported.Value = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				exported.Value = m.GetGauge().GetValue()
			case dto.MetricType_HISTOGRAM:
				exported.Value = float64(m.GetHistogram().GetSampleCount())
			}
			all[family.GetName()+"{"+strings.Join(labels, ",")+"}"] = exported
		}
	}
	return all, nil
}

// updates returns how many updates were answered.
func updates(host string) float64 {
	all, err := gather()
	if err != nil {
		return 0
	}
	return all[fmt.Sprintf(`rest_client_requests_total{code="200",host=%q,method="PUT"}`, strings.TrimPrefix(host, "http://"))].Value
}

var (
	errThere = errors.New("there is a config map that was not made")
	errDone  = errors.New("a deletion that was not answered has no error")
)

func onClientGo(ctx context.Context, host string) error {
	client, err := clientgokubernetes.NewForConfig(&clientgorest.Config{Host: host, QPS: 1000, Burst: 1000})
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps("default")
	if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); err != nil {
		return err
	}
	if _, err := maps.Get(ctx, "none", metav1.GetOptions{}); err == nil {
		return errThere
	}
	if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err == nil {
		return errDone
	}

	queue := clientgoworkqueue.NewTypedRateLimitingQueueWithConfig(clientgoworkqueue.DefaultTypedControllerRateLimiter[string](),
		clientgoworkqueue.TypedRateLimitingQueueConfig[string]{Name: "maps"})
	informing, stop := context.WithCancel(ctx)
	factory := clientgoinformers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{AddFunc: func(any) { queue.AddRateLimited("key") }}); err != nil {
		stop()
		return err
	}
	factory.StartWithContext(informing)
	key, _ := queue.Get()
	queue.Done(key)
	queue.ShutDown()
	stop()
	factory.Shutdown()

	leading, stop := context.WithCancel(ctx)
	defer stop()
	clientgoleaderelection.RunOrDie(leading, clientgoleaderelection.LeaderElectionConfig{
		Name: "election", LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
		Lock: &clientgoresourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}, Client: client.CoordinationV1(),
			LockConfig: clientgoresourcelock.ResourceLockConfig{Identity: "me"}},
		Callbacks: clientgoleaderelection.LeaderCallbacks{
			// client-go renews as soon as it leads. If that were cancelled under way, it would be counted as an error, or not.
			OnStartedLeading: func(ctx context.Context) {
				for updates(host) < 2 && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				stop()
			},
			OnStoppedLeading: func() {},
		},
	})
	return ctx.Err()
}

func onVedette(ctx context.Context, host string, forward bool) error {
	config := &rest.Config{Host: host, QPS: 1000, Burst: 1000}
	if forward {
		bridge.ForwardMetrics(config)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps("default")
	if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); err != nil {
		return err
	}
	if _, err := maps.Get(ctx, "none", metav1.GetOptions{}); err == nil {
		return errThere
	}
	if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err == nil {
		return errDone
	}

	queue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "maps"})
	informing, stop := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { queue.AddRateLimited("key") }}); err != nil {
		stop()
		return err
	}
	factory.StartWithContext(informing)
	key, _ := queue.Get()
	queue.Done(key)
	queue.ShutDown()
	stop()
	factory.Shutdown()

	leading, stop := context.WithCancel(ctx)
	defer stop()
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Name: "election", LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}, Client: client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}},
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { stop() }, OnStoppedLeading: func() {}},
	})
	return ctx.Err()
}
