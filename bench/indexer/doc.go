// Package indexer has the workloads for indexed stores: filling, reading, and reading beside a writer.
//
// Each driver is written once against the interface in peers.go, so both sides run the same code on the same objects.
package indexer
