// Package kinds knows what a Kubernetes API server serves: its resources and their versions, what they look like in
// discovery, OpenAPI and tables, which defaults and rules they have, and by which fields they can be selected.
//
// # Types
//
//   - [Registry] is all that one server serves. [NewRegistry] knows the built-in kinds; [Registry.SetCRD] adds those of a
//     CustomResourceDefinition and [Registry.RemoveCRD] takes them away. It is an http.Handler for discovery, OpenAPI and the
//     version: see [Serves].
//   - [Kind] is one resource in one version. It does not change, and may be kept.
//   - [Operation] is what a client does to an object.
//
// # The life of an object
//
// A request names a version; [Registry.Lookup] finds its Kind, and [Kind.New] makes something to decode into. For writing,
// in this order:
//
//	Prune      custom resources only: removes unknown fields and names them
//	Prepare    defaults, what admission adds, the split between spec and status, generation
//	Validate   the errors of a Status of reason Invalid
//	Convert    to the kind that Registry.Storage says objects are stored as
//
// and for reading Convert to the version that was asked for, FieldLabel and Fields for selectors, and Table.
//
// # Where the knowledge comes from
//
// From kube-apiserver itself, where it can tell: recorded.zip holds its discovery, its OpenAPI documents, and the columns of
// its tables, as testenv/cmd/record wrote them down. Documents are unpacked one by one when they are first needed. Go types
// are those of vedette.dev/kubernetes/scheme; the two resources without such types in k8s.io/api, definitions of custom
// resources and API services, are unstructured.
//
// Defaults, rules and cells are written by hand, and compared with the real server: testdata/steps are requests, and
// testdata/answers its responses, which have to be the same here. When you add a rule, add a step and run
//
//	cd testenv && go run ./cmd/record ../apitest/internal/kinds
//
// # What is left out
//
//   - Rules in CEL: x-kubernetes-validations of definitions, and admission policies.
//   - Admission that needs other objects, such as quotas, limit ranges, priority classes and webhooks.
//   - Most rules of the rarer kinds: what is wrong with them is let pass. Nothing is refused that the real server takes.
//   - Conversion webhooks: versions of custom resources differ in their apiVersion only.
//   - OpenAPI v3 as protobuf, and custom resources in OpenAPI v2 as protobuf: both have them as JSON.
//   - Addresses and node ports of services are made up from their names, and not checked for being free.
//   - The listing of differences at the end of some messages is laid out differently.
package kinds
