package memory

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
)

// instanceLabel has the same value for the pods of a ReplicaSet only.
const instanceLabel = "app.kubernetes.io/instance"

// selecting lists the pods that a selector matches, one in a hundred.
type selecting struct {
	*podcache.Running
	selector labels.Selector
	want     int
	lists    int
	err      error
}

func newSelecting(c podcache.Config, size, lists int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, 2000)
		chosen := map[string]bool{}
		// Of each hundred ReplicaSets, of 20 pods each, one.
		for i := 0; i < c.Pods; i += 2000 {
			chosen[pods.New(i).Labels[instanceLabel]] = true
		}
		var values []string
		for value := range chosen {
			values = append(values, value)
		}
		requirement, err := labels.NewRequirement(instanceLabel, selection.In, values)
		if err != nil {
			return nil, err
		}
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		return &selecting{Running: r, selector: labels.NewSelector().Add(*requirement), want: 20 * len(values), lists: h.Size(lists, 2)}, nil
	}
}

func (s *selecting) Ops() int { return s.lists }

func (s *selecting) Run() {
	lister := s.Lister()
	for range s.lists {
		found, err := lister.List(s.selector)
		if err == nil && len(found) != s.want {
			err = fmt.Errorf("%d pods are selected, want %d", len(found), s.want)
		}
		if err != nil {
			s.err = err
			return
		}
	}
}

func (s *selecting) Finish() (harness.Sample, error) {
	if s.err == nil {
		s.err = s.Check(func(int) int { return 0 })
	}
	return nil, errors.Join(s.err, s.End())
}
