package transport

import (
	"fmt"
	"io"
	"log"
	"net/http"
)

var discard = log.New(io.Discard, "", 0)

func do(client *http.Client, req *http.Request) (string, error) {
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", resp.StatusCode)
	}
	return string(body), err
}

// roundTripperFunc is a RoundTripper that is a function.
type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answering answers each request with a status, and lets see look at it first.
func answering(status int, see func(*http.Request)) roundTripperFunc {
	return func(req *http.Request) (*http.Response, error) {
		if see != nil {
			see(req)
		}
		return &http.Response{StatusCode: status, Body: http.NoBody, Request: req, Header: http.Header{}}, nil
	}
}
