// Package wirefilter removes fields from encoded objects. Fields that are not needed are then neither decoded nor
// stored, and the result decodes to the ordinary Go type, with fewer fields set.
//
//   - [Keep] returns a [Filter] that keeps the named fields, and [Drop] one that keeps all others.
//   - [Filter.Protobuf], [Filter.JSON] and [Filter.CBOR] filter an encoded object, without allocations.
//   - [Filter.Object] does the same for a decoded object.
//
// For example, for a cache that needs to know which images run where:
//
//	f, err := wirefilter.Keep(&corev1.Pod{}, "spec.nodeName", "spec.containers.image", "status.phase")
//	…
//	buf, err = f.Protobuf(buf[:0], raw.Bytes)
//	err = pod.Unmarshal(buf)
//
// # Paths
//
// A path consists of the JSON names of fields, whatever the encoding of the object.
//
//	spec.nodeName                             a field, with all that is in it
//	spec.containers.image                     this field of each element of the list
//	metadata.annotations[example.com/owner]   one key of a map; it cannot contain ]
//	spec.devices.attributes.version           this field of each value of a map
//	spec.devices.attributes[a].version        and of one value
//
// A struct that is inline in JSON does not appear in paths: a volume has spec.volumes.configMap, although on the wire
// there is a message between the two. A type with its own encoding, such as a Time or a Quantity, is one value. A path
// that the type does not have is an error with a suggestion; so are two paths of which one is a part of the other. The
// paths of unstructured objects are not checked.
//
// # Result
//
//   - The identity is always kept: apiVersion, kind, and of the metadata name, namespace, uid, resourceVersion and
//     generation. Naming one of them in Drop is an error; Drop of metadata as a whole keeps them.
//   - A filter only removes fields of objects and keys of maps. An object on the path to a field is kept even if it
//     becomes empty, and so is every element of a list, so that elements keep their positions. An empty message decodes
//     to a pointer that is not nil.
//   - Nothing is added: missing metadata stays missing.
//   - What is on the path to a field but is not an object is kept unchanged: a null, or an error, which the decoder
//     will report.
//   - Fields that the Go type does not have are removed by Keep and kept by Drop.
//   - Duplicate fields, lists in pieces, groups and numbers in more bytes than they need are treated as by the
//     decoders, so that filtering and decoding commute. The one exception is a map without keys: from protobuf it
//     decodes to nil, and from JSON to an empty map.
//
// # Caveats
//
//   - A message is examined only along the paths, and a text only as far as is needed to find where values end. Errors
//     in removed fields are not detected. Errors along the paths wrap [protoscan.ErrMalformed],
//     [jsonscan.ErrMalformed] or [cborscan.ErrMalformed].
//   - The output is never longer than the input. Both may be the same memory: pass src[:0] as dst.
//   - A protobuf message is the bare one, as in rest.Raw, without Kubernetes' envelope. apiVersion and kind are in the
//     envelope.
//   - Names in JSON are case-sensitive, as in Kubernetes' decoders, and unlike in encoding/json.
//   - A filter is immutable, and safe for concurrent use.
package wirefilter
