// Package fake has dynamic clients for tests. They are real clients of an API server in this process, package apitest,
// for which all objects are plain JSON: see vedette.dev/kubernetes/fake for the guarantees, and vedette.dev/testing for
// reactors.
//
//	client := fake.NewSimpleDynamicClient(scheme, &unstructured.Unstructured{Object: map[string]any{
//		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "default"},
//	}})
//
// Resources need no definition. The client supports those of built-in kinds, of the kinds in the scheme, of the given
// objects, and of objects that are created; for others, the error is that there is no such resource. If the plural of a
// kind is irregular, use [NewSimpleDynamicClientWithCustomListKinds].
package fake
