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

// New returns a lock of type LeasesResourceLock in the Lease ns/name. The client of the core group is not used; it is a
// parameter for compatibility with client-go.
func New(lockType string, ns string, name string, coreClient corev1.CoreV1Interface, coordinationClient coordinationv1.CoordinationV1Interface,
	rlc ResourceLockConfig) (Interface, error) {
	return NewWithLabels(lockType, ns, name, coreClient, coordinationClient, rlc, nil)
}

// NewWithLabels is like New, with labels that each holder adds to the Lease.
func NewWithLabels(lockType string, ns string, name string, _ corev1.CoreV1Interface, coordinationClient coordinationv1.CoordinationV1Interface,
	rlc ResourceLockConfig, labels map[string]string) (Interface, error) {
	if err := checkType(lockType); err != nil {
		return nil, err
	}
	if coordinationClient == nil {
		return nil, errors.New("resourcelock: client for coordination.k8s.io/v1 is nil")
	}
	return &LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: name},
		Client:     coordinationClient,
		LockConfig: rlc,
		Labels:     labels,
	}, nil
}

// NewFromKubeconfig returns a lock with a client of its own. The timeout of its requests is half of renewDeadline, but
// at least a second, so that one that hangs leaves time for another.
func NewFromKubeconfig(lockType string, ns string, name string, rlc ResourceLockConfig, kubeconfig *rest.Config,
	renewDeadline time.Duration) (Interface, error) {
	if kubeconfig == nil {
		return nil, errors.New("resourcelock: configuration is nil")
	}
	config := rest.AddUserAgent(rest.CopyConfig(kubeconfig), "leader-election")
	config.Timeout = max(time.Second, renewDeadline/2)
	config.RateLimiter = nil // with a shared one, a renewal could wait behind other requests
	client, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("resourcelock: cannot create the client for the lock %s/%s: %w", ns, name, err)
	}
	return New(lockType, ns, name, nil, client, rlc)
}

func checkType(lockType string) error {
	switch lockType {
	case LeasesResourceLock:
		return nil
	case "endpoints", "configmaps", "endpointsleases", "configmapsleases":
		return fmt.Errorf("resourcelock: lock type %q is no longer supported; use %q", lockType, LeasesResourceLock)
	}
	return fmt.Errorf("resourcelock: unknown lock type %q; use %q", lockType, LeasesResourceLock)
}
