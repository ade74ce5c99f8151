package transport

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// tokens is a server that takes one token, and a client that reads it from a file.
type tokens struct {
	path string
	rt   http.RoundTripper

	mu   sync.Mutex
	good string
	seen string
}

func newTokens(t *testing.T, bearer, inFile string) *tokens {
	k := &tokens{path: t.TempDir() + "/token", good: inFile}
	if inFile != "" {
		writeFile(t, k.path, []byte(inFile+"\n"))
	}
	rt, err := NewBearerAuthWithRefreshRoundTripper(bearer, k.path, roundTripperFunc(k.answer))
	if err != nil {
		t.Fatal(err)
	}
	k.rt = rt
	return k
}

func (k *tokens) answer(req *http.Request) (*http.Response, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if k.seen != k.good {
		return answering(http.StatusUnauthorized, nil)(req)
	}
	return answering(http.StatusOK, nil)(req)
}

func (k *tokens) ask(t testing.TB, want string) {
	t.Helper()
	req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
	if _, err := k.rt.RoundTrip(req); err != nil {
		t.Fatal(err)
	}
	if k.seen != want {
		t.Errorf("sent token %q, want %q", k.seen, want)
	}
}

func TestTokenFileIsReadOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTokens(t, "", "one")
		k.ask(t, "one")
		writeFile(t, k.path, []byte("two"))
		time.Sleep(tokenPeriod - time.Nanosecond)
		k.ask(t, "one")
		k.good = "two"
		time.Sleep(time.Nanosecond)
		k.ask(t, "two")
	})
}

func TestTokenFileIsReadAfterUnauthorized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTokens(t, "", "one")
		writeFile(t, k.path, []byte("two"))
		k.good = "two"
		k.ask(t, "one")
		k.ask(t, "two")
	})
}

func TestTokenIsKeptWhileTheFileCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTokens(t, "", "one")
		for _, broken := range []func(){
			func() { writeFile(t, k.path, nil) },
			func() { _ = os.Remove(k.path) },
		} {
			broken()
			time.Sleep(2 * tokenPeriod)
			k.ask(t, "one")
		}
		writeFile(t, k.path, []byte("two"))
		k.good = "two"
		k.ask(t, "one") // tried a moment ago, and not again before the server complains
		k.ask(t, "two")
	})
}

func TestGivenTokenServesUntilTheFileDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTokens(t, "given", "")
		k.good = "given"
		k.ask(t, "given")
		writeFile(t, k.path, []byte("from-file"))
		time.Sleep(tokenPeriod)
		k.ask(t, "from-file")
	})
}

func TestFileWinsOverGivenToken(t *testing.T) {
	newTokens(t, "given", "from-file").ask(t, "from-file")
}

func TestEmptyTokenFileIsAnError(t *testing.T) {
	path := t.TempDir() + "/token"
	writeFile(t, path, []byte(" \n"))
	_, err := NewBearerAuthWithRefreshRoundTripper("", path, nil)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty token file: %v", err)
	}
}

// A late 401 for an old token must not cause the new one to be read again and again.
func TestUnauthorizedForAnOldTokenChangesNothing(t *testing.T) {
	f := &fileToken{path: "/no/such/file", token: "new", readAt: time.Now()}
	f.rejected("old")
	if _, due := f.look(); due {
		t.Error("the file is to be read again because of an old token")
	}
	f.rejected("new")
	if _, due := f.look(); !due {
		t.Error("the file is not to be read again though the server did not take the token")
	}
}

// While one request reads the file, which may take long, the others use what they have.
func TestTokenReadersDoNotWaitForOneAnother(t *testing.T) {
	k := newTokens(t, "", "one")
	f := k.rt.(*bearerAuth).token.(*fileToken)
	f.rejected("one")
	f.reading.Lock() // a read is under way, and does not end
	defer f.reading.Unlock()
	k.ask(t, "one")
}

func TestTokenFileWithManyRequests(t *testing.T) {
	k := newTokens(t, "", "one")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
				if _, err := k.rt.RoundTrip(req); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, token := range []string{"two", "three"} {
		k.mu.Lock()
		k.good = token
		k.mu.Unlock()
		writeFile(t, k.path, []byte(token))
	}
	all.Wait()
	req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
	_, _ = k.rt.RoundTrip(req)
	k.ask(t, "three")
}
