// Clients writes the generated part of package kubernetes: the clientset's list of groups, the scheme's list of groups,
// and the clients under typed. Run it with
//
//	go generate ./kubernetes
//
// It reads the sources of k8s.io/api in the version that go.mod requires (package api), and what people wrote beside the
// generated files: a kind's expansion interface is generated, empty, only where expansion.go does not have it, and the
// API groups that the hand-written files of a package import are added to its scheme, so that the client can send and
// receive their types.
//
// One template makes one kind of file: client.go.tmpl, groups.go.tmpl, fake.go.tmpl and register.go.tmpl. Tests compare what they make
// with what is on disk.
package main
