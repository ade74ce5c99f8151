// Package patch writes a copy of client-go whose shared informers run on Vedette, and makes a module use it.
//
// The copy is client-go as it was published, with two lines changed (edits in copy.go) and some files added: those in files, which
// are written for it, and those that TestGenerated takes from module bridge.
package patch
