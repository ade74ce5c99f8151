package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"vedette.dev/dynamic"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/clusterdiff"
)

// side is one cluster with its controller manager.
type side struct {
	name      string
	program   string // of the controller manager
	onVedette bool
	options   options
	progress  *lines

	env     *testenv.Env
	client  *kubernetes.Clientset
	dynamic *dynamic.DynamicClient
	manager *manager

	// What is left when it has run.
	objects    []clusterdiff.Object
	collects   bool // what an owner had that was deleted and made anew
	engine     engine
	start, end used
}

func (s *side) say(format string, args ...any) { s.progress.say(s.name, format, args...) }

// run does the work, and leaves the objects of the cluster and what the controller manager has used.
func (s *side) run(ctx context.Context) (err error) {
	s.say("starting kube-apiserver and etcd")
	if s.env, err = testenv.Start(ctx, testenv.Config{}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.env.Stop()) }()
	if err := s.connect(); err != nil {
		return err
	}
	nodes, err := startKubelets(ctx, s.client)
	if err != nil {
		return err
	}
	defer nodes.stop()
	if err := s.seed(ctx); err != nil {
		return err
	}
	s.say("starting kube-controller-manager")
	if s.manager, err = startManager(ctx, s.program, s.env); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.manager.failure())
		}
		if log, readErr := os.ReadFile(s.manager.log); readErr == nil {
			err = errors.Join(err, s.options.save(s.name+".log", log))
		}
		err = errors.Join(err, s.manager.close())
	}()
	if err := s.work(ctx); err != nil {
		return err
	}
	return s.saveObjects()
}

func (s *side) connect() error {
	config := s.env.RESTConfig()
	config.WarningHandler = rest.NoWarnings{} // Endpoints are deprecated, and yet compared
	var err error
	if s.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	s.dynamic, err = dynamic.NewForConfig(rest.CopyConfig(config))
	return err
}

func (s *side) saveObjects() error {
	if s.options.out == "" {
		return nil
	}
	data, err := json.MarshalIndent(clusterdiff.Normalise(s.objects), "", " ")
	if err != nil {
		return err
	}
	return s.options.save(s.name+".json", data)
}
