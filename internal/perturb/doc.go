// Package perturb lets goroutines be overtaken in tests.
//
// Point marks a place between two steps at which another goroutine may run. In a normal build it does nothing and is inlined away. With the
// build tag perturb it sleeps at random, so that a test in a testing/synctest bubble tries orders of events that the scheduler hardly ever
// chooses:
//
//	go test -tags perturb ./shard -run TestHistories
//
// A goroutine must not hold a sync.Mutex at a Point: in a bubble, time does not advance while another goroutine waits for it.
package perturb
