package transport

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// tokenPeriod is how long a token is used before its file is read again. The kubelet renews a service account token
// when a fifth of its lifetime is left, at least two minutes before it expires; half of that is soon enough.
const tokenPeriod = time.Minute

// fileToken is a token that is renewed in a file.
type fileToken struct {
	path string

	mu     sync.Mutex
	token  string    `datapolicy:"token"`
	readAt time.Time // zero if the next request should read the file

	// reading is held by the request that reads the file. The others use the token they know: a hanging file system
	// blocks one request and not all.
	reading sync.Mutex
}

func (f *fileToken) current() string {
	token, due := f.look()
	if due && f.reading.TryLock() {
		_ = f.refreshLocked() // if it fails, the previous token stays in use
		f.reading.Unlock()
		token, _ = f.look()
	}
	return token
}

func (f *fileToken) rejected(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if token == f.token { // otherwise it was renewed during the request
		f.readAt = time.Time{}
	}
}

func (f *fileToken) look() (token string, due bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.token, f.readAt.IsZero() || time.Since(f.readAt) >= tokenPeriod
}

func (f *fileToken) refresh() error {
	f.reading.Lock()
	defer f.reading.Unlock()
	return f.refreshLocked()
}

func (f *fileToken) refreshLocked() error {
	token, err := readToken(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readAt = time.Now() // after a failure too: once a minute is enough for a missing file
	if err == nil {
		f.token = token
	}
	return err
}

func readToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("transport: reading the bearer token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("transport: bearer token file %q is empty", path)
	}
	return token, nil
}
