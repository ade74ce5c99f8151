// Package sites is an operator with a kind of its own: a Site has a number of pages, each in a config map.
//
//   - [Site] is the kind, a plain struct, and crd.yaml its definition, which [Install] creates in a server.
//   - [Operator] creates, changes and deletes the pages, reverts changes by others, reports its work in the status and in events, and
//     cleans up after a deleted site. [New] returns one for a [Config]; its Reconcile and Sources are for a controller.
//
// The program around it is vedette.dev/examples/operator. 'vedette demo' runs it, too, on clusters in an API group of its own.
//
// # Guarantees
//
//   - A page belongs to the site that its owner reference names, by UID. A config map of the same name with another owner is not
//     changed; the status of the site has an error.
//   - The next reconcile sees all writes of the operator, whether or not the watch has delivered them: nothing is created twice.
//   - A deleted site stays until its pages are deleted.
package sites
