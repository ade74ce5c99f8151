// Package wirefilter takes fields out of objects while they are still bytes. What nobody needs is then neither decoded nor kept,
// and what comes out decodes to the ordinary Go type, with fewer fields set.
//
//   - [Keep] makes a [Filter] that leaves the named fields, and [Drop] one that leaves all others.
//   - [Filter.Protobuf] and [Filter.JSON] filter an object in its form on the wire, in one pass and without memory of their own.
//   - [Filter.Object] does the same to an object that is decoded already.
//
// For example, what a cache needs to know which images run where:
//
//	f, err := wirefilter.Keep(&corev1.Pod{}, "spec.nodeName", "spec.containers.image", "status.phase")
//	…
//	buf, err = f.Protobuf(buf[:0], raw.Bytes)
//	err = pod.Unmarshal(buf)
//
// # Paths
//
// A path is made of the names that fields have in JSON, whatever the form of the object.
//
//	spec.nodeName                             a field, with all that is in it
//	spec.containers.image                     this field of each element of the list
//	metadata.annotations[example.com/owner]   one key of a map; it cannot contain ]
//	spec.devices.attributes.version           this field of each value of a map
//	spec.devices.attributes[a].version        and of one value
//
// A struct that is inline in JSON does not appear in paths: a volume has spec.volumes.configMap, although on the wire there is a
// message between the two. A type that decodes itself, such as a Time or a Quantity, is one value. A path that the type does not
// have is an error that says what was probably meant; so are two paths of which one is a part of the other, because only one of
// them can be what was meant. The paths of unstructured objects are not checked.
//
// # What is left
//
//   - The identity always stays: apiVersion, kind, and of the metadata name, namespace, uid, resourceVersion and generation. To name
//     one of them in Drop is an error; Drop of metadata as a whole leaves them.
//   - A filter only takes fields out of objects and keys out of maps. An object on the way to a field stays even if nothing is
//     left in it, and so does every element of a list: what was there is there, and elements keep their places. A message
//     that is empty decodes to a pointer that is not nil.
//   - Nothing is made up: metadata that is not there is not there afterwards.
//   - What is on the way to a field but is no object stays as it is: a null, or a mistake, of which the decoder will speak.
//   - Fields that the Go type does not know go with Keep and stay with Drop.
//   - Fields that come twice, lists in pieces, groups and numbers in more bytes than they need are treated as by the decoders, so
//     that filtering and decoding give the same in either order. A map of which every key has gone is the one difference:
//     from protobuf it decodes to nil, and from JSON to an empty map.
//
// # Caveats
//
//   - A message is looked at only on the way of the paths, and a text only as closely as it must be to find where values end.
//     What goes may be wrong inside, and nobody will know. What is wrong on the way gives an error that wraps
//     [protoscan.ErrMalformed] or [jsonscan.ErrMalformed].
//   - The output is never longer than the input. Both may be the same memory: pass src[:0] as dst.
//   - A protobuf message is the bare one, as in rest.Raw, without Kubernetes' envelope. apiVersion and kind are in the envelope.
//   - Names in JSON are compared with their case, as by Kubernetes' decoders, and not as by encoding/json.
//   - A filter does not change once it is made. Many goroutines may use it at once.
package wirefilter
