// Package migrate rewrites a program for client-go so that it uses Vedette.
//
// It works on the files of one module, in a clean git tree:
//
//  1. rewrite: imports of packages that Vedette has become Vedette's; imports of auth plugins are removed. All other imports stay.
//     In tests, fake.NewClientset becomes NewSimpleClientset, which does what client-go's does. Files that register metrics of queues or
//     electors with client-go by an import call bridge.ForwardMetrics.
//  2. require: go.mod requires vedette.dev, and the bridge if conversions are needed.
//  3. convert: the program and its tests are compiled. Where a rest.Config of one library is used as one of the other, the compiler reports
//     the place, and a conversion of package bridge is put there. A store of the program that lacks methods of newer versions of client-go
//     gets them. This is repeated until the compiler reports no more such places. An error of another kind stops none of it, except in the
//     packages that import its own. The end is go build ./..., whatever packages were named.
//  4. report: what was changed, what stays with client-go, and what has to be done by hand, with file and line.
//
// Each file is kept before it is written, so that a dry run, an error and Undo restore all of them, also those that git does not have.
//
// The compiler decides what does not fit, and not a reading of types of our own: what this package does not understand is an error of the
// compiler, and part of the report.
package migrate
