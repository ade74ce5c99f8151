// Package patch reads, changes and keeps account of objects as kube-apiserver does.
//
//   - [Patcher] is what a server needs of it, [New] makes one. [Request] is a patch.
//   - [CheckType] says which patches a kind takes, to be asked before the object is looked for.
//   - [ScaleFields] and [ParentFields] carry managed fields between an object and its scale.
//
// # The way of a patch
//
//  1. JSON patches and merge patches change the JSON of the live object, strategic ones its fields as the Go type tags
//     them; an apply is merged by the OpenAPI schema of the kind, against what each manager owns.
//  2. The result is decoded; unknown and duplicate fields become warnings or an error.
//  3. Managed fields are brought up to date.
//  4. Name, namespace and UID must be those of before.
//
// What comes after that is the caller's: to compare resource versions, to keep what a path may not write (the status by way
// of the object), to validate, to store. kube-apiserver does it in this order as well, which decides the error that a
// client sees if there are several things to complain about.
//
// # The judge
//
// testdata has the answers of a real server, written by testenv/e2e; the tests compare them word by word.
package patch
