// Package kinds finds the resources of a server by the names that people give them, as kubectl does: pods, pod, po,
// deployments.apps, deployments.v1.apps.
//
//   - [Read] asks the server what it serves, once. [Served] is its answer.
//   - [Served.Find] finds one resource. If there is none, it returns an [UnknownError] with similar names.
//   - [Served.Watchable] returns the resources that can be listed and watched.
package kinds
