package apitest_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/apitest/conformance"
)

// What a client sees of a fault is what it sees of a real server that fails in the same way: see TestFaults in testenv/e2e, which calls
// the same functions.
func TestFaultsAsOnTheRealServer(t *testing.T) {
	for name, see := range map[string]func(*testing.T, *apitest.Server){
		"*: 401": func(t *testing.T, s *apitest.Server) { conformance.SeeUnauthorized(t, s.RESTConfig(), "default") },
		"*: 403": func(t *testing.T, s *apitest.Server) { conformance.SeeForbidden(t, s.RESTConfig(), "default") },
		"*: 404": func(t *testing.T, s *apitest.Server) {
			conformance.SeeMissingKind(t, s.RESTConfig(), "default", schema.GroupVersionResource{Group: "faults.example.com", Version: "v1", Resource: "gadgets"})
		},
		"create,update: 409": func(t *testing.T, s *apitest.Server) {
			conformance.SeeConflict(t, s.RESTConfig(), "default", "a", "1")
			conformance.SeeAlreadyExists(t, s.RESTConfig(), "default", "b")
		},
		"*: 429": func(t *testing.T, s *apitest.Server) { conformance.SeeTooManyRequests(t, s.RESTConfig(), "default") },
		"* gadgets.faults.example.com: conversion-failed": func(t *testing.T, s *apitest.Server) {
			conformance.SeeConversionFailed(t, s.RESTConfig(), "default", schema.GroupVersionResource{Group: "faults.example.com", Version: "v1", Resource: "gadgets"})
		},
		"watch: no-initial-events": func(t *testing.T, s *apitest.Server) {
			conformance.SeeNoInitialEvents(t, s.RESTConfig(), "default")
		},
		"watch configmaps: end-410": func(t *testing.T, s *apitest.Server) {
			inject(t, s, "list configmaps: 410")
			conformance.SeeExpired(t, s.RESTConfig(), "default", "4")
		},
		"get pods: 500": func(t *testing.T, s *apitest.Server) { // which is of no matter here
			fillMaps(t, s, "a")
			conformance.SeeCut(t, s.RESTConfig(), "default", func() {
				s.RefuseConnections()
				s.CutConnections()
			})
			conformance.SeeRefused(t, s.RESTConfig(), "default")
		},
		"watch configmaps name=second: cut": func(t *testing.T, s *apitest.Server) {
			fillMaps(t, s, "a")
			conformance.SeeCut(t, s.RESTConfig(), "default", func() { fillMaps(t, s, "second") })
		},
	} {
		for way, config := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				server := apitest.New(t, config)
				inject(t, server, name)
				see(t, server)
			})
		}
	}
}

// The same is so of versions that are forgotten, without a fault.
func TestCompactionAsOnTheRealServer(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	old := server.ResourceVersion()
	fillMaps(t, server, "a", "b")
	server.Compact()
	conformance.SeeExpired(t, server.RESTConfig(), "default", old)
}
