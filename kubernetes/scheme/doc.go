// Package scheme knows all types of all API groups that a Kubernetes server serves out of the box.
//
//   - [Scheme] has the types. [AddToScheme] adds them to a scheme of your own.
//   - [Codecs] encodes and decodes them, in JSON, YAML and protobuf.
//   - [ParameterCodec] does so with options in a query.
//
// The clients do not use it: each has a scheme with the types of its own group, so that a program does not link all of
// them. To add a type to Scheme does not teach it to a client.
package scheme
