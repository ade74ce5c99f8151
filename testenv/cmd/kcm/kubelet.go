package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

// nodeNames are the nodes of a cluster.
var nodeNames = []string{"node-1", "node-2", "node-3"}

const (
	// resultAnnotation is on pods that end, with the phase in which they do.
	resultAnnotation = "kcm.vedette.dev/result"
	// neverReady is the image of containers that do not start.
	neverReady = "registry.example/never-ready"
)

// kubelets plays the scheduler and the kubelets: it binds pods to nodes, reports that they run or have ended, and removes those that are
// deleted.
type kubelets struct {
	client    *kubernetes.Clientset
	queue     workqueue.TypedRateLimitingInterface[cache.ObjectName]
	factory   *informers.Factory
	addresses atomic.Uint32
	cancel    context.CancelFunc
	running   sync.WaitGroup
}

func startKubelets(ctx context.Context, client *kubernetes.Clientset) (*kubelets, error) {
	ctx, cancel := context.WithCancel(ctx)
	k := &kubelets{client: client, cancel: cancel,
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](50*time.Millisecond, time.Second))}
	for i, name := range nodeNames {
		if err := k.addNode(ctx, name, i); err != nil {
			cancel()
			return nil, err
		}
		k.running.Go(func() { k.heartbeat(ctx, name) })
	}
	var err error
	k.factory, err = informers.New(informers.Config{Client: client, TweakListOptions: func(o *metav1.ListOptions) {
		o.FieldSelector = "metadata.namespace!=" + seedNamespace // nothing is to be done for these
	}})
	if err != nil {
		cancel()
		return nil, err
	}
	enqueue := func(obj any) {
		if pod, ok := obj.(*corev1.Pod); ok {
			k.queue.Add(cache.ObjectName{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	_, err = k.factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	if err != nil {
		cancel()
		return nil, err
	}
	k.factory.StartWithContext(ctx)
	for range 4 {
		k.running.Go(func() { k.worker(ctx) })
	}
	return k, nil
}

func (k *kubelets) stop() {
	k.cancel()
	k.queue.ShutDown()
	k.factory.Shutdown()
	k.running.Wait()
}

func (k *kubelets) worker(ctx context.Context) {
	for {
		name, shutdown := k.queue.Get()
		if shutdown {
			return
		}
		// Errors are conflicts, or an API server that was killed.
		if err := k.sync(ctx, name); err != nil {
			k.queue.AddRateLimited(name)
		} else {
			k.queue.Forget(name)
		}
		k.queue.Done(name)
	}
}

// sync takes a pod one step further.
func (k *kubelets) sync(ctx context.Context, name cache.ObjectName) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cached, err := k.factory.Core().V1().Pods().Lister().Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return ignoreNotFound(err)
	}
	pod, pods := cached.DeepCopy(), k.client.CoreV1().Pods(name.Namespace)
	switch {
	case pod.DeletionTimestamp != nil:
		now := int64(0)
		return ignoreNotFound(pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}))
	case pod.Spec.NodeName == "":
		return ignoreNotFound(pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: nodeFor(pod)},
		}, metav1.CreateOptions{}))
	case !k.advance(pod):
		return nil
	}
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return ignoreNotFound(err)
}

// nodeFor returns the node that a pod asks for, or else one for all pods of an owner: so pods that can be exchanged for each other are on the same
// kind of node in both clusters.
func nodeFor(pod *corev1.Pod) string {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, field := range term.MatchFields {
				return field.Values[0] // of a DaemonSet
			}
		}
	}
	owner := pod.Name
	if ref := metav1.GetControllerOf(pod); ref != nil {
		owner = ref.Name
	}
	h := fnv.New32a()
	h.Write([]byte(owner))
	return nodeNames[h.Sum32()%uint32(len(nodeNames))]
}

// advance sets the next status of a pod, and reports whether there is one.
func (k *kubelets) advance(pod *corev1.Pod) bool {
	result := corev1.PodPhase(pod.Annotations[resultAnnotation])
	switch {
	case pod.Status.Phase == corev1.PodPending && !strings.HasPrefix(pod.Spec.Containers[0].Image, neverReady):
		ip := k.addresses.Add(1)
		pod.Status = status(pod, corev1.PodRunning)
		pod.Status.PodIP = fmt.Sprintf("10.244.%d.%d", ip/250, ip%250+1)
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	case pod.Status.Phase == corev1.PodRunning && result != "":
		ip := pod.Status.PodIP
		pod.Status = status(pod, result)
		pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	default:
		return false
	}
	return true
}

func status(pod *corev1.Pod, phase corev1.PodPhase) corev1.PodStatus {
	now := metav1.Now()
	running := phase == corev1.PodRunning
	ready := corev1.ConditionFalse
	if running {
		ready = corev1.ConditionTrue
	}
	out := corev1.PodStatus{Phase: phase, HostIP: "192.0.2.1", HostIPs: []corev1.HostIP{{IP: "192.0.2.1"}}, StartTime: &now, QOSClass: pod.Status.QOSClass}
	for _, c := range pod.Status.Conditions { // which the API server has set
		if c.Type == corev1.PodScheduled {
			out.Conditions = append(out.Conditions, c)
		}
	}
	for _, c := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized} {
		out.Conditions = append(out.Conditions, corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	for _, c := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		out.Conditions = append(out.Conditions, corev1.PodCondition{Type: c, Status: ready, LastTransitionTime: now})
	}
	for _, c := range pod.Spec.Containers {
		s := corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image + "@sha256:0", Ready: running, Started: &running}
		switch {
		case running:
			s.State.Running = &corev1.ContainerStateRunning{StartedAt: now}
		case phase == corev1.PodFailed:
			s.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: now, FinishedAt: now}
		default:
			s.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: now}
		}
		out.ContainerStatuses = append(out.ContainerStatuses, s)
	}
	return out
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (k *kubelets) addNode(ctx context.Context, name string, i int) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%2)}}}
	node, err := k.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: now, LastTransitionTime: now}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("192.0.2.%d", i+1)}}
	_, err = k.client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

// heartbeat renews the lease of a node, which is how the controller manager knows that it is alive.
func (k *kubelets) heartbeat(ctx context.Context, node string) {
	const every = 5 * time.Second
	for ctx.Err() == nil {
		_ = k.renew(ctx, node) // tried again soon enough
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

func (k *kubelets) renew(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	now, seconds := metav1.NowMicro(), int32(40)
	lease, err := leases.Get(ctx, node, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: node},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node, LeaseDurationSeconds: &seconds, RenewTime: &now},
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}
