// Package spoil makes objects that no client can decode of objects that were fine.
//
// What surrounds a spoiled object stays as it was: a list with one can be read item by item, and a watch goes on after the
// frame. So do the name, namespace, UID and version of the object itself. As JSON, it gets a number in its metadata that is
// larger than any type holds, which is good JSON nevertheless. As protobuf, it gets a field with a wire type that does
// not exist.
//
// There is no such thing in YAML and in a Table: those are returned as they are, and so is a Status.
package spoil

import "bytes"

// Want tells whether the object of this namespace and name is to be spoiled.
type Want func(namespace, name string) bool

var magic = []byte("k8s\x00")

// Body spoils the wanted objects of an answer, be it one object or a list, and says whether there were any.
func Body(body []byte, want Want) ([]byte, bool) {
	if message, ok := bytes.CutPrefix(body, magic); ok {
		return envelope(message, want)
	}
	return jsonBody(body, want)
}

// Frame spoils the object in a frame of a watch. If that is not possible, it returns the frame.
func Frame(frame []byte) []byte {
	if bytes.HasPrefix(frame, []byte("{")) {
		return jsonFrame(frame)
	}
	return protobufFrame(frame)
}

func always(string, string) bool { return true }
