// Package generators has a test of programs with clients that the generators of k8s.io/code-generator write: client-gen,
// applyconfiguration-gen, informer-gen and lister-gen of two releases generate clients for the kinds in testdata/program,
// which is written for client-go; vedette migrate rewrites it, and its tests run on Vedette.
//
// testdata/generators has a go.mod for each release of the generators. To raise one: go get -tool in that folder, and go mod
// tidy.
package generators
