// Package sites is an operator with a kind of its own: a Site has a number of pages, each in a config map.
//
//   - [Site] is the kind, a plain struct, and crd.yaml its definition, which [Install] brings to a server.
//   - [Operator] creates, changes and deletes the pages, puts right what somebody else changed, says in the status and in events what
//     it did, and cleans up when a site goes. [New] makes one of a [Config]; its Reconcile and Sources are for a controller.
//
// The program around it is vedette.dev/examples/operator. 'vedette demo' runs it, too, in a group of its own where it is a guest.
//
// # What holds
//
//   - A page belongs to the site that its owner reference names, by UID. A config map of the same name that is somebody else's is left
//     alone; the status of the site says so.
//   - What the operator has written is seen by its next reconcile, whether or not the watch has told of it: nothing is created twice.
//   - A site that is deleted stays until its pages are gone.
package sites
