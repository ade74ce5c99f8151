// Package memory has the workloads about the memory that informers of pods need, and about what it costs to read from them.
//
//   - syncing is the start: time, processor time, the most memory meanwhile, and the heap that stays.
//   - relist is a watch that ends with 410, and the relist that follows.
//   - shrink is what is left when most pods are deleted.
//   - reading is the look-up of pods, and selecting that of lists.
//
// The informers, their server and the checks are those of package podcache. Each of the ways to keep objects is a storage in
// workloads.go.
package memory
