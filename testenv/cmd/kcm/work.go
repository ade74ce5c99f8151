package main

import (
	"context"
	"fmt"
	"time"
)

// step is a part of the work. When it returns, what it waited for is so in this cluster.
type step struct {
	name string
	do   func(ctx context.Context) error
}

func (s *side) steps() []step {
	return []step{
		{"service accounts and kinds", s.beginning},
		{"quiet before the work", s.measureBefore},
		{"Deployments, StatefulSet, DaemonSet, Services, volumes", s.workloads},
		{"Jobs", s.jobs},
		{"rollouts and scaling", s.rollouts},
		{"garbage collection", s.garbage},
		{"quota", s.quota},
		{"kube-apiserver is killed in rollouts and deletions", s.killed},
		{"changes while the controller manager does not look", s.unseen},
		{"deletion of a namespace", s.lastNamespace},
		{"quiet after the work", s.measureAfter},
		{"an owner that is deleted and made anew unseen", s.reborn},
	}
}

// work does all steps.
func (s *side) work(ctx context.Context) error {
	steps := s.steps()
	for i, step := range steps {
		began := time.Now()
		if s.options.verbose {
			s.say("%d of %d: %s", i+1, len(steps), step.name)
		}
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		s.say("%d of %d done in %.1f s: %s", i+1, len(steps), time.Since(began).Seconds(), step.name)
	}
	return nil
}

// all calls functions until one fails.
func all(ctx context.Context, functions ...func(ctx context.Context) error) error {
	for _, f := range functions {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}
