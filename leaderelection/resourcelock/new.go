package resourcelock

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	coordinationv1 "vedette.dev/kubernetes/typed/coordination/v1"
	corev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

// New makes a lock, of type LeasesResourceLock, in the Lease ns/name. The client of the core group is not used: there
// was a time when locks were annotations of its objects.
func New(lockType string, ns string, name string, coreClient corev1.CoreV1Interface, coordinationClient coordinationv1.CoordinationV1Interface,
	rlc ResourceLockConfig) (Interface, error) {
	return NewWithLabels(lockType, ns, name, coreClient, coordinationClient, rlc, nil)
}

// NewWithLabels is New, with labels that each holder puts on the Lease.
func NewWithLabels(lockType string, ns string, name string, _ corev1.CoreV1Interface, coordinationClient coordinationv1.CoordinationV1Interface,
	rlc ResourceLockConfig, labels map[string]string) (Interface, error) {
	if err := checkType(lockType); err != nil {
		return nil, err
	}
	if coordinationClient == nil {
		return nil, errors.New("resourcelock: New was given no client for coordination.k8s.io/v1")
	}
	return &LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: name},
		Client:     coordinationClient,
		LockConfig: rlc,
		Labels:     labels,
	}, nil
}

// NewFromKubeconfig makes a lock with a client of its own, which is for the lock alone. Each of its requests ends after half
// of renewDeadline, but not before a second, so that one that hangs leaves time for another.
func NewFromKubeconfig(lockType string, ns string, name string, rlc ResourceLockConfig, kubeconfig *rest.Config,
	renewDeadline time.Duration) (Interface, error) {
	if kubeconfig == nil {
		return nil, errors.New("resourcelock: NewFromKubeconfig was given no configuration")
	}
	config := rest.AddUserAgent(rest.CopyConfig(kubeconfig), "leader-election")
	config.Timeout = max(time.Second, renewDeadline/2)
	config.RateLimiter = nil // one that others share could make a renewal wait behind their requests
	client, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("resourcelock: a client for the lock %s/%s: %w", ns, name, err)
	}
	return New(lockType, ns, name, nil, client, rlc)
}

func checkType(lockType string) error {
	switch lockType {
	case LeasesResourceLock:
		return nil
	case "endpoints", "configmaps", "endpointsleases", "configmapsleases":
		return fmt.Errorf("resourcelock: the lock type is %q, which is gone; it must be %q", lockType, LeasesResourceLock)
	}
	return fmt.Errorf("resourcelock: the lock type is %q; it must be %q", lockType, LeasesResourceLock)
}
