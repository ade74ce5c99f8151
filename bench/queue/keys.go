package queue

import (
	"fmt"
	"strings"
)

// namespaces is the number of namespaces that keys are spread over.
const namespaces = 100

// indexDigits is how many digits the index at the end of a key has.
const indexDigits = 8

// keyOf makes a key that looks like those of a real controller.
func keyOf(i int) string {
	return fmt.Sprintf("namespace-%02d/deployment-name-%0*d", i%namespaces, indexDigits, i)
}

// makeKeys allocates every key on its own, as informers do.
func makeKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = keyOf(i)
	}
	return keys
}

// indexOf reads the index back from the end of a key. The queue has just hashed these bytes,
// so this costs a few nanoseconds, where a map lookup would cost as much as the queue itself.
func indexOf(key string) int {
	n := 0
	for _, digit := range []byte(key[len(key)-indexDigits:]) {
		n = n*10 + int(digit-'0')
	}
	return n
}

// namespaceOf is the part of a key before the slash: the tenant of a fair queue.
func namespaceOf(key string) string {
	namespace, _, _ := strings.Cut(key, "/")
	return namespace
}
