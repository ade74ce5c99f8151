// Package fake has dynamic clients for tests. They are real ones that speak to an API server in this process, package apitest,
// for which all objects are just JSON: see vedette.dev/kubernetes/fake for what holds, and vedette.dev/testing for reactors.
//
//	client := fake.NewSimpleDynamicClient(scheme, &unstructured.Unstructured{Object: map[string]any{
//		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "default"},
//	}})
//
// Resources need no definition. The client knows those of built-in kinds, of the kinds in the scheme, of the objects that it is
// given, and of those that are created; for others, the answer is that there is no such resource. Where the plural of a kind is
// not the usual one, [NewSimpleDynamicClientWithCustomListKinds] can be told.
package fake
