// Package kinds finds the resources of a server by the names that people give them, as kubectl does: pods, pod, po,
// deployments.apps, deployments.v1.apps.
//
//   - [Read] asks the server what it serves, once. [Served] is its answer.
//   - [Served.Find] finds one resource. What there is none of is an [UnknownError], with the names that come close.
//   - [Served.Watchable] is all that can be listed and watched.
package kinds
