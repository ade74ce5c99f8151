package testenv

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are chosen from below those that systems give to outgoing connections (32768 and up on Linux, 49152 elsewhere).
// So the API server's port is likely to be still free when the server comes back after it was killed.
const (
	firstPort = 20000
	endPort   = 32000
)

// portAttempts limits both the search for a free port, and the retries of a start because another process took the port
// in between.
const portAttempts = 20

// freeAddress returns an unused address on the loopback interface.
func freeAddress() (string, error) {
	var last error
	for range portAttempts {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(endPort-firstPort)))
		l, err := net.Listen("tcp", address)
		if err != nil {
			last = err
			continue
		}
		return address, l.Close()
	}
	return "", fmt.Errorf("no free port on the loopback interface: %w", last)
}
