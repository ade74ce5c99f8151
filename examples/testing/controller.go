// Package testing shows how to test a controller: see controller_test.go. The controller under test writes the time
// into a config map, once an hour.
package testing

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
)

// Every is how often the time is written.
const Every = time.Hour

// Run runs the controller until the context ends.
func Run(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	maps := factory.Core().V1().ConfigMaps()
	hourly, err := controller.New(controller.Config[cache.ObjectName]{
		Name:    "hourly",
		Sources: []controller.Source[cache.ObjectName]{controller.For(maps.TypedInformer())},
		Reconcile: func(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
			current, err := maps.Lister().ConfigMaps(name.Namespace).Get(name.Name)
			if apierrors.IsNotFound(err) {
				return controller.Result{}, nil
			}
			if err != nil {
				return controller.Result{}, err
			}
			last, err := time.Parse(time.RFC3339, current.Data["time"])
			if left := time.Until(last.Add(Every)); err == nil && left > 0 {
				return controller.Result{RequeueAfter: left}, nil
			}
			fresh := current.DeepCopy()
			fresh.Data = map[string]string{"time": time.Now().Format(time.RFC3339)}
			_, err = client.CoreV1().ConfigMaps(name.Namespace).Update(ctx, fresh, metav1.UpdateOptions{})
			return controller.Result{RequeueAfter: Every}, err
		},
	})
	if err != nil {
		return err
	}
	return runner.Run(ctx, runner.Config{
		Factories: []runner.Factory{factory}, Controllers: []runner.Controller{hourly}, KeepSignals: true,
	})
}
