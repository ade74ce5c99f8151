// Package fake has metadata clients for tests. They are real clients of an API server in this process, package apitest,
// for which all objects are plain JSON: see vedette.dev/kubernetes/fake for the guarantees, and vedette.dev/testing for
// reactors.
//
//	client := fake.NewSimpleMetadataClient(fake.NewTestScheme(), &metav1.PartialObjectMetadata{
//		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
//		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
//	})
//
// Objects may be whole ones of kinds that the scheme has, or metadata with a kind.
package fake
