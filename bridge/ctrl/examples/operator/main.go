// Command operator is the program stock, beside it, on Vedette's informers: for each Deployment with the label images=list it keeps a
// ConfigMap with the images of its containers.
package main

import (
	"context"
	"flag"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	bridgectrl "vedette.dev/bridge/ctrl"
)

func main() {
	metrics := flag.String("metrics-bind-address", "127.0.0.1:8080", "where to serve metrics; 0 means nowhere")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), ctrl.GetConfigOrDie(), *metrics); err != nil {
		ctrl.Log.Error(err, "the operator has failed")
		os.Exit(1)
	}
}

// run runs the operator until the context ends.
func run(ctx context.Context, config *rest.Config, metrics string) error {
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		NewCache: bridgectrl.NewCache,
		Metrics:  metricsserver.Options{BindAddress: metrics},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(&images{mgr.GetClient()})
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// images keeps a ConfigMap for each Deployment.
type images struct{ client.Client }

// Reconcile brings the ConfigMap of a Deployment up to date. That of a Deployment that is deleted goes with it.
func (r *images) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var deployment appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &deployment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if deployment.Labels["images"] != "list" {
		return ctrl.Result{}, nil
	}
	list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: deployment.Namespace, Name: deployment.Name + "-images"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, list, func() error {
		list.Data = map[string]string{}
		for _, c := range deployment.Spec.Template.Spec.Containers {
			list.Data[c.Name] = c.Image
		}
		return controllerutil.SetControllerReference(&deployment, list, r.Scheme())
	})
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, nil // the event that follows brings it back
	}
	return ctrl.Result{}, err
}
