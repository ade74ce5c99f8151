// Package corrupt makes objects undecodable.
//
// The surroundings of a corrupted object are intact: a list can be read item by item, and a watch continues after the
// frame. So are the name, namespace, UID and version of the object itself. As JSON, it gets a number in its metadata
// that exceeds the range of any type, which is still valid JSON. As protobuf, it gets a field with a wire type that
// does not exist.
//
// CBOR, YAML, Tables and Statuses are returned unchanged.
package corrupt

import "bytes"

// Want reports whether the object with this namespace and name should be corrupted.
type Want func(namespace, name string) bool

var magic = []byte("k8s\x00")

// Body corrupts the wanted objects of a response, which is one object or a list, and reports whether there were any.
func Body(body []byte, want Want) ([]byte, bool) {
	if message, ok := bytes.CutPrefix(body, magic); ok {
		return envelope(message, want)
	}
	return jsonBody(body, want)
}

// Frame corrupts the object in a frame of a watch. If that is not possible, it returns the frame unchanged.
func Frame(frame []byte) []byte {
	if bytes.HasPrefix(frame, []byte("{")) {
		return jsonFrame(frame)
	}
	return protobufFrame(frame)
}

func always(string, string) bool { return true }
