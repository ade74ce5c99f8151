// Package componentbase tests bridge.ForwardMetrics with the metrics of k8s.io/component-base: a program that imports them does the same work
// on client-go and on Vedette, and exports the same series.
package componentbase
