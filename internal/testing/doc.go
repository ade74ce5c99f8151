// Package testing has the types of vedette.dev/testing, which exports them as aliases. They are here so that gentype,
// which every client imports, has fake clients without the API server that trackers keep their objects in.
package testing
