package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/console"
	"vedette.dev/controller"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
	"vedette.dev/shard"
	"vedette.dev/shardgroup"
)

// The group, its namespace, and the label of the config maps that its replicas work on.
const groupName, namespace, label = "tasks", "default", "vedette.dev/task"

// workerKey is the annotation of a task that names the replica that has worked on it last.
const workerKey = "vedette.dev/worker"

// replica runs one replica until the context ends or the process gets a signal.
func replica(ctx context.Context, options runner.Options, identity string) error {
	config, err := options.RESTConfig()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil)).With("replica", identity)
	group, err := shardgroup.New(shardgroup.Config{
		Name: groupName, Namespace: namespace, REST: config, Identity: identity, Logger: logger,
		Shards: 16, Key: shard.ByName(),
		// The defaults are 9, 7 and 2 seconds; these are for the impatient.
		LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 500 * time.Millisecond, SettleTime: time.Second,
	})
	if err != nil {
		return err
	}
	// The informer has the tasks in the shards of this replica, and no others.
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), REST: config,
		Source: group.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = label },
	})
	if err != nil {
		return err
	}
	shards, err := shardgroup.Bind(group, informer)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	tasks := worker{client, informer, group.Name()}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name:      "tasks",
		Owner:     group,
		Sources:   []controller.Source[cache.ObjectName]{controller.For(informer), shards},
		Reconcile: tasks.reconcile,
	})
	if err != nil {
		return err
	}
	return runner.Run(ctx, runner.Config{
		Options: options, Logger: logger, Group: group,
		Informers:   []cache.SharedIndexInformer{informer},
		Controllers: []runner.Controller{c},
		Console: console.Handler(console.Config{
			Title:       identity,
			Informers:   []console.Informers{console.Informer("tasks", informer)},
			Controllers: []console.Controller{c},
			Shards:      map[string]console.Sharded{"tasks by replica": console.Group(group), "tasks here": console.Shards(informer)},
		}),
	})
}

type worker struct {
	client   kubernetes.Interface
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	name     string
}

// reconcile writes to a task which replica has worked on it last, and the epoch of the shard.
func (w *worker) reconcile(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
	task, err := w.informer.Lister().ByNamespace(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return controller.Result{}, nil
	}
	if err != nil {
		return controller.Result{}, err
	}
	if epoch, _ := shardgroup.Epoch(ctx); task.Annotations[shardgroup.EpochAnnotation] == fmt.Sprint(epoch) {
		return controller.Result{}, nil // this replica has done it
	}
	task = task.DeepCopy()
	metav1.SetMetaDataAnnotation(&task.ObjectMeta, workerKey, w.name)
	if err := shardgroup.Stamp(ctx, task); err != nil {
		return controller.Result{}, err
	}
	_, err = w.client.CoreV1().ConfigMaps(key.Namespace).Update(ctx, task, metav1.UpdateOptions{})
	return controller.Result{}, err
}
