package main

import (
	"bytes"
	"context"
	"fmt"
)

// Frames of goroutines that show what runs the informers.
const (
	vedetteFrame  = "vedette.dev/internal/engine."
	clientGoFrame = "k8s.io/client-go/tools/cache.(*Reflector)."
)

// checkEngine checks that the informers run on what the comparison is about.
func (s *side) checkEngine(ctx context.Context) error {
	profile, err := s.manager.get(ctx, "/debug/pprof/goroutine?debug=2")
	if err != nil {
		return err
	}
	if err := s.options.save(s.name+".goroutines", profile); err != nil {
		return err
	}
	s.engine, err = engineOf(profile)
	if err != nil {
		return err
	}
	if s.engine.vedette > 0 != s.onVedette || s.engine.clientGo > 0 == s.onVedette {
		return fmt.Errorf("%d goroutines run informers of Vedette, %d those of client-go, which is not what was built", s.engine.vedette, s.engine.clientGo)
	}
	return nil
}

// engine counts goroutines.
type engine struct{ vedette, clientGo int }

// engineOf counts the goroutines of a profile that run informers.
func engineOf(profile []byte) (engine, error) {
	var e engine
	stacks := bytes.Split(profile, []byte("\n\n"))
	if len(stacks) < 2 {
		return e, fmt.Errorf("not a profile of goroutines: %.100q", profile)
	}
	for _, stack := range stacks {
		if bytes.Contains(stack, []byte(vedetteFrame)) {
			e.vedette++
		}
		if bytes.Contains(stack, []byte(clientGoFrame)) {
			e.clientGo++
		}
	}
	return e, nil
}
