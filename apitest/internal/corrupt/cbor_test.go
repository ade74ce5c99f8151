package corrupt

import (
	"bytes"
	"testing"
)

// TestCBOR: objects in CBOR are left as they are.
func TestCBOR(t *testing.T) {
	object := []byte("\xd9\xd9\xf7\xa2\x44kind\x41A\x48metadata\xa1\x44name\x41a")
	frame := append([]byte("\xd9\xd9\xf7\xa2\x44type\x45ADDED\x46object"), object...)
	if got, done := Body(bytes.Clone(object), always); done || !bytes.Equal(got, object) {
		t.Errorf("%q, %v", got, done)
	}
	if got := Frame(bytes.Clone(frame)); !bytes.Equal(got, frame) {
		t.Errorf("%q", got)
	}
}
