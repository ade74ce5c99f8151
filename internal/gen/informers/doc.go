// Informers writes the generated parts of packages listers and informers: a file for each version of each API group, one
// for each group, and the factory's list of groups and resources. Run it with
//
//	go generate ./listers ./informers
//
// It reads the sources of k8s.io/api in the version that go.mod requires (package api). A kind has an informer and a lister
// if it can be listed and watched. The expansion interfaces of a lister are generated, empty, only where expansion.go does
// not have them.
//
// One template makes one kind of file. Tests compare what they make with what is on disk.
package main
