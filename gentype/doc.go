// Package gentype holds the one client that serves every kind.
//
// A [Client] speaks for one resource: it knows its name, its namespace if it has one, the Go type of an object (T) and of
// a list (L). The packages under kubernetes/typed give it the names that programs know, a few lines a kind. For a kind of
// your own no generated code is needed, and no DeepCopy either: a struct with the two metadata fields is enough.
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
//   - [Client]: create, update, delete, get, list, watch, patch and apply, for one resource.
//   - [Interface], [StatusInterface] and the one-verb interfaces they are made of: what the typed packages promise.
//   - [ApplyConfiguration], and [Apply], which makes one of any object: what server-side apply sends.
//   - [Custom], [Resource], [List], [Event]: a client for your own struct.
//   - [ForConfig] and its relatives: how a group's client is made of a [rest.Config].
package gentype
