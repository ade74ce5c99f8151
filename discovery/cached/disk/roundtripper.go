package disk

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
)

// maxCached is the size of the largest response that is kept.
const maxCached = 64 << 20

// cacheRoundTripper keeps responses to GET requests that have an ETag, and sends it along with the next such request. If
// the server says that nothing has changed, the response is the one of last time.
type cacheRoundTripper struct {
	dir string
	rt  http.RoundTripper
}

func newCacheRoundTripper(dir string, rt http.RoundTripper) http.RoundTripper {
	return &cacheRoundTripper{dir: dir, rt: rt}
}

// WrappedRoundTripper returns the transport below.
func (c *cacheRoundTripper) WrappedRoundTripper() http.RoundTripper { return c.rt }

// RoundTrip implements http.RoundTripper.
func (c *cacheRoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.Header.Get("Range") != "" || req.Header.Get("If-None-Match") != "" {
		return c.rt.RoundTrip(req)
	}
	file := c.file(req)
	stored := load(file, req)
	if stored != nil {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", stored.Header.Get("ETag"))
	}
	resp, err := c.rt.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case stored != nil && resp.StatusCode == http.StatusNotModified:
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4096)) // so that the connection can be used again
		_ = resp.Body.Close()
		return stored, nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "":
		return c.keep(file, resp)
	}
	return resp, nil
}

// keep reads a response, and stores it unless it is too large.
func (c *cacheRoundTripper) keep(file string, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCached+1))
	if err != nil || len(body) > maxCached {
		rest := io.Reader(resp.Body)
		if err != nil {
			rest = failing{err}
		}
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), rest), resp.Body}
		return resp, nil
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.ContentLength, resp.TransferEncoding = int64(len(body)), nil
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if data, err := httputil.DumpResponse(resp, true); err == nil {
		sum := sha256.Sum256(data)
		_ = writeFile(file, append(sum[:], data...)) // without it, the server is asked again
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// load returns the response in a file, or nil if there is none, or if the file is not as it was written.
func load(file string, req *http.Request) *http.Response {
	data, err := os.ReadFile(file)
	if err != nil || len(data) < sha256.Size {
		return nil
	}
	sum := sha256.Sum256(data[sha256.Size:])
	if !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data[sha256.Size:])), req)
	if err != nil {
		return nil
	}
	return resp
}

// file returns the file of a request. The form of discovery documents depends on what the client accepts.
func (c *cacheRoundTripper) file(req *http.Request) string {
	sum := sha256.Sum256([]byte(req.URL.String() + "\x00" + req.Header.Get("Accept")))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:]))
}
