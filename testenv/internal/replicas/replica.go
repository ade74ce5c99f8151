package replicas

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/runner"
	"vedette.dev/shard"
	"vedette.dev/shardgroup"
)

// variable has the Setup of a replica, as JSON.
const variable = "VEDETTE_REPLICA"

const (
	taskLabel = "vedette.dev/task"
	wantKey   = "want"
	haveKey   = "have"
	epochKey  = "epoch"
)

// Setup is what a replica is told.
type Setup struct {
	Host, Token      string
	CA               []byte
	Namespace, Group string
	Name             string

	Shards              int
	Key                 string // name, namespace, or mixed
	Lease, Renew, Retry time.Duration
	Workers             int
	IO                  time.Duration // what a reconcile waits for
	Again               bool          // reconcile each key again and again, and do not write
	Silent              bool          // print no acts
}

// Main runs a replica, and does not return, if this process was started as one.
func Main() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var setup Setup
	err := json.Unmarshal([]byte(text), &setup)
	if err == nil {
		err = Replica(context.Background(), setup)
	}
	if err != nil {
		fmt.Printf("ENDED %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Replica runs a replica until the process gets a signal. It prints what it does, for Scene, and ends with its standard input.
func Replica(ctx context.Context, setup Setup) error {
	config := &rest.Config{
		Host: setup.Host, BearerToken: setup.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: setup.CA, ServerName: "127.0.0.1"},
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Int64("at", a.Value.Time().UnixNano())
		}
		return a
	}}))
	key, ok := map[string]shard.HashKey{"name": shard.ByName(), "namespace": shard.ByNamespace(), "mixed": shard.ByNamespaceMixed()}[setup.Key]
	if !ok {
		return fmt.Errorf("there is no key %q", setup.Key)
	}
	w := &worker{setup: setup}
	var err error
	if w.group, err = shardgroup.New(shardgroup.Config{
		Name: setup.Group, Namespace: setup.Namespace, REST: config, Identity: setup.Name, Logger: logger, Shards: setup.Shards, Key: key,
		LeaseDuration: setup.Lease, RenewDeadline: setup.Renew, RetryPeriod: setup.Retry,
	}); err != nil {
		return err
	}
	source := shard.Config[*corev1.ConfigMap]{
		Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), REST: config, Source: w.group.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = taskLabel },
	}
	if w.informer, err = shard.NewTypedShardingInformer(source); err != nil {
		return err
	}
	shards, err := shardgroup.Bind(w.group, w.informer)
	if err != nil {
		return err
	}
	if w.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "tasks", Workers: setup.Workers, Owner: w.group, Logger: logger,
		Sources:   []controller.Source[cache.ObjectName]{controller.For(w.informer), shards},
		Reconcile: w.reconcile,
	})
	if err != nil {
		return err
	}
	fmt.Println("NAME", w.group.Name())
	go w.answer(os.Stdin)
	return runner.Run(ctx, runner.Config{
		RESTConfig: config, Logger: logger, Group: w.group,
		Informers: []cache.SharedIndexInformer{w.informer}, Controllers: []runner.Controller{c},
	})
}

type worker struct {
	setup    Setup
	group    *shardgroup.Group
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	client   kubernetes.Interface
	done     atomic.Int64 // reconciles
}

// answer answers questions until its input ends; then it ends the process.
func (w *worker) answer(in io.Reader) {
	questions := bufio.NewScanner(in)
	for questions.Scan() {
		switch questions.Text() {
		case "memory":
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Println("ANSWER", m.HeapAlloc)
		case "reconciles":
			fmt.Println("ANSWER", w.done.Load())
		case "objects":
			fmt.Println("ANSWER", len(w.informer.GetIndexer().ListKeys()))
		}
	}
	os.Exit(1)
}

// act prints that this replica works in a shard now, if it still may.
func (w *worker) act(ctx context.Context, shard int, epoch int64) bool {
	if ctx.Err() != nil {
		return false
	}
	if at := time.Now().UnixNano(); !w.setup.Silent {
		fmt.Printf("ACT %d %d %d\n", at, shard, epoch)
	}
	return true
}

// reconcile gives an object the value that it should have.
func (w *worker) reconcile(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
	in, _ := w.group.ShardOfName(key.Namespace, key.Name)
	epoch, _ := shardgroup.Epoch(ctx)
	if !w.act(ctx, in, epoch) {
		return controller.Result{}, ctx.Err()
	}
	if w.setup.IO > 0 {
		select {
		case <-time.After(w.setup.IO):
		case <-ctx.Done():
			return controller.Result{}, ctx.Err()
		}
	}
	defer w.done.Add(1)
	if w.setup.Again {
		return controller.Result{RequeueAfter: time.Nanosecond}, nil
	}
	task, err := w.informer.Lister().ByNamespace(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) || err == nil && task.Data[haveKey] == task.Data[wantKey] {
		return controller.Result{}, nil
	}
	if err != nil {
		return controller.Result{}, err
	}
	if last, _ := strconv.ParseInt(task.Data[epochKey], 10, 64); last > epoch {
		return controller.Result{}, fmt.Errorf("a later owner has worked on it, at epoch %d", last)
	}
	task = task.DeepCopy()
	task.Data[haveKey], task.Data[epochKey] = task.Data[wantKey], strconv.FormatInt(epoch, 10)
	if !w.act(ctx, in, epoch) {
		return controller.Result{}, ctx.Err()
	}
	_, err = w.client.CoreV1().ConfigMaps(key.Namespace).Update(ctx, task, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return controller.Result{}, nil // the informer will tell what it is now
	}
	return controller.Result{}, err
}
