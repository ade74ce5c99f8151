// Package gentype has a generic client for all kinds.
//
// A [ResourceClient] is for one resource: it has its name, its namespace if it has one, the Go type of an object (T) and of a
// list (L). The packages under kubernetes/typed wrap it, with a few lines per kind. For a custom resource no generated
// code is needed, and no DeepCopy either: a struct with the two metadata fields is enough.
//
//	type Widget struct {
//		metav1.TypeMeta   `json:",inline"`
//		metav1.ObjectMeta `json:"metadata"`
//		Spec              WidgetSpec `json:"spec"`
//	}
//
//	widgets, err := gentype.NewForConfig[Widget](config, gentype.Resource{
//		Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets",
//	})
//	list, err := widgets.In("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [ResourceClient]: create, update, delete, get, list, watch, patch and apply, for one resource.
//   - [Interface], [StatusInterface] and the one-verb interfaces they consist of: the interfaces of the typed packages.
//   - [ApplyConfiguration], and [Apply], which returns one for any object: the body of a server-side apply.
//   - [Custom], [Resource], [List], [Event]: a client for your own struct.
//   - [ForConfig] and related functions: create a group's client from a [rest.Config].
//   - [Client], [ClientWithListAndApply], [FakeClient], [NewClient] and the like: client-go's names, for clientsets that
//     client-gen writes. They compile when their import paths are rewritten.
package gentype
