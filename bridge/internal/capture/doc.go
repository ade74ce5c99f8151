// Package capture reads the bytes of answers that client-go has asked for. It imports nothing of client-go, so that a patched copy of
// client-go can have it, too.
//
// ListWatch puts a slot into the context of a list or a watch of client-go. Transport, which is in client-go's HTTP client, finds the slot
// in the context of the request, keeps the answer there, and gives client-go an empty one. If anything but client-go reads the answer, it
// gets the bytes, and ListWatch returns what client-go decodes.
package capture
