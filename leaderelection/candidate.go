package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"vedette.dev/cache"
	"vedette.dev/fence"
	informers "vedette.dev/informers/coordination/v1beta1"
	"vedette.dev/kubernetes"
	coordinationv1beta1client "vedette.dev/kubernetes/typed/coordination/v1beta1"
)

const (
	// candidateRenewal is the interval at which a candidate is renewed if the server does not ask for it earlier. The
	// server ignores one that was not renewed for 30 minutes.
	candidateRenewal = 5 * time.Minute

	candidateMinBackoff = 100 * time.Millisecond
	candidateMaxBackoff = 30 * time.Second
)

// CacheSyncWaiter waits for caches.
type CacheSyncWaiter interface {
	// WaitForCacheSync waits until all caches have synced or stopCh is closed, and returns for each type whether its
	// cache has synced.
	WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool
}

// LeaseCandidate keeps the LeaseCandidate object of one replica, from which the API server elects a leader: see
// LeaderElectionConfig.Coordinated.
type LeaseCandidate struct {
	client   coordinationv1beta1client.LeaseCandidateInterface
	informer informers.LeaseCandidateIndexInformer
	handler  cache.ResourceEventHandlerRegistration
	// want is the object, but for its times.
	want *coordinationv1beta1.LeaseCandidate
	// wake is sent to when the object has to be renewed or created.
	wake chan struct{}
}

// NewCandidate returns a candidate for the Lease targetLease in the namespace of the candidate, which does nothing before
// Run. candidateName must be the identity of the lock. The versions are semantic versions without a leading v;
// binaryVersion must not be less than emulationVersion. The second result waits until the candidate has read its object,
// which it does in Run.
func NewCandidate(clientset kubernetes.Interface,
	candidateNamespace string,
	candidateName string,
	targetLease string,
	binaryVersion, emulationVersion string,
	strategy coordinationv1.CoordinatedLeaseStrategy,
) (*LeaseCandidate, CacheSyncWaiter, error) {
	switch {
	case clientset == nil:
		return nil, nil, errors.New("leaderelection: clientset of NewCandidate is nil")
	case candidateName == "":
		return nil, nil, errors.New("leaderelection: candidateName of NewCandidate is empty")
	case targetLease == "":
		return nil, nil, errors.New("leaderelection: targetLease of NewCandidate is empty")
	}
	c := &LeaseCandidate{
		client: clientset.CoordinationV1beta1().LeaseCandidates(candidateNamespace),
		informer: informers.NewTypedFilteredLeaseCandidateInformer(clientset, candidateNamespace, 0, nil, func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, candidateName).String()
		}),
		want: &coordinationv1beta1.LeaseCandidate{
			ObjectMeta: metav1.ObjectMeta{Namespace: candidateNamespace, Name: candidateName},
			Spec: coordinationv1beta1.LeaseCandidateSpec{
				LeaseName:        targetLease,
				BinaryVersion:    binaryVersion,
				EmulationVersion: emulationVersion,
				Strategy:         strategy,
			},
		},
		wake: make(chan struct{}, 1),
	}
	var err error
	c.handler, err = c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.changed,
		UpdateFunc: func(_, object any) { c.changed(object) },
		DeleteFunc: func(any) { c.renewSoon() },
	})
	if err != nil {
		return nil, nil, fmt.Errorf("leaderelection: %w", err)
	}
	return c, &candidateSync{c.informer}, nil
}

// Run creates the object, or takes over one of an earlier run, and renews it when the server asks for it, and every five
// minutes. A deleted object is created again. Run returns when ctx has ended, and leaves no goroutine behind. The object
// remains; the server ignores it when it has not been renewed for some time. Run must be called only once.
//
// Its requests are also sent by a client with a fence.Gate that is closed, since a replica that does not lead is a
// candidate too.
func (c *LeaseCandidate) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(fence.Exempt(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		c.informer.RunWithContext(ctx)
	}()
	defer func() {
		cancel()
		<-stopped
	}()
	select {
	case <-ctx.Done():
		return
	case <-c.handler.HasSyncedChecker().Done():
	}
	logger := logr.FromContextOrDiscard(ctx).WithName("leasecandidate").WithValues("namespace", c.want.Namespace, "name", c.want.Name)
	backoff := candidateMinBackoff
	for ctx.Err() == nil {
		select {
		case <-c.wake: // renew reads an object that is at least as new
		default:
		}
		if err := c.renew(ctx); err == nil {
			backoff = candidateMinBackoff
			c.sleep(ctx, candidateRenewal, c.wake)
		} else if ctx.Err() == nil {
			logger.Error(err, "Failed to renew the lease candidate, retrying", "after", backoff)
			c.sleep(ctx, backoff, nil)
			backoff = min(2*backoff, candidateMaxBackoff)
		}
	}
}

func (c *LeaseCandidate) sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// changed compares an object that the server has sent with what it should be.
func (c *LeaseCandidate) changed(object any) {
	if candidate, ok := object.(*coordinationv1beta1.LeaseCandidate); ok && (pinged(&candidate.Spec) || !c.matches(&candidate.Spec)) {
		c.renewSoon()
	}
}

func (c *LeaseCandidate) renewSoon() {
	select {
	case c.wake <- struct{}{}:
	default: // a renewal is due already, and reads the newest object
	}
}

// pinged reports whether the server has asked for a renewal and there was none since.
func pinged(spec *coordinationv1beta1.LeaseCandidateSpec) bool {
	return spec.PingTime != nil && (spec.RenewTime == nil || spec.PingTime.After(spec.RenewTime.Time))
}

// matches reports whether a spec is that of this candidate. LeaseName cannot be changed, so it is not compared.
func (c *LeaseCandidate) matches(spec *coordinationv1beta1.LeaseCandidateSpec) bool {
	want := &c.want.Spec
	return spec.BinaryVersion == want.BinaryVersion && spec.EmulationVersion == want.EmulationVersion && spec.Strategy == want.Strategy
}

// renew creates or updates the object. It fails if the cache is behind, and succeeds when it has caught up.
func (c *LeaseCandidate) renew(ctx context.Context) error {
	now := metav1.NewMicroTime(time.Now())
	stored, exists, err := c.informer.GetStore().GetByKey(cache.MetaObjectToName(c.want).String())
	if err != nil {
		return err
	}
	if !exists {
		candidate := c.want.DeepCopy()
		candidate.Spec.RenewTime = &now
		_, err := c.client.Create(ctx, candidate, metav1.CreateOptions{})
		return err
	}
	candidate := stored.(*coordinationv1beta1.LeaseCandidate).DeepCopy()
	if candidate.Spec.LeaseName != c.want.Spec.LeaseName {
		return fmt.Errorf("leaderelection: LeaseCandidate %s is for Lease %q, not %q", cache.MetaObjectToName(c.want), candidate.Spec.LeaseName, c.want.Spec.LeaseName)
	}
	ping := candidate.Spec.PingTime
	candidate.Spec = c.want.Spec
	candidate.Spec.PingTime, candidate.Spec.RenewTime = ping, &now
	if pinged(&candidate.Spec) {
		candidate.Spec.RenewTime = ping // the clock of the server is ahead; an earlier time would not be an answer
	}
	_, err = c.client.Update(ctx, candidate, metav1.UpdateOptions{})
	return err
}

// candidateSync is the CacheSyncWaiter of a candidate.
type candidateSync struct {
	informer informers.LeaseCandidateIndexInformer
}

// WaitForCacheSync implements CacheSyncWaiter. It also waits for Run to be called.
func (s *candidateSync) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	synced := s.informer.HasSynced() || cache.WaitForCacheSync(stopCh, s.informer.HasSynced)
	return map[reflect.Type]bool{reflect.TypeFor[*coordinationv1beta1.LeaseCandidate](): synced}
}
