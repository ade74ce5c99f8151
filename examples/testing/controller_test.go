package testing

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
)

// A day of the controller, on a real API server that lives in the bubble: with conflicts, cut connections and a server that
// forgets the past. Time passes when all goroutines wait, so that the day takes milliseconds, and every run is the same.
func TestADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := kubernetes.NewForConfigOrDie(server.RESTConfig())
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, client) }()

		maps := client.CoreV1().ConfigMaps("default")
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "clock"}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		// Half of all writes are refused.
		fault, err := apitest.ParseFault("update configmaps: 409 p=0.5 seed=1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		for range 24 {
			time.Sleep(time.Hour)
			server.CutConnections()
			server.Compact()
			clock, err := maps.Get(ctx, "clock", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			last, err := time.Parse(time.RFC3339, clock.Data["time"])
			if age := time.Since(last); err != nil || age > Every+time.Minute {
				t.Errorf("the clock is %v behind: %v", age, err)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
