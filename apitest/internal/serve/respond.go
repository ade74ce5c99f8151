package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// gzipFrom is the minimum size of a compressed response, if the client accepts that. It is kube-apiserver's.
const gzipFrom = 128 * 1024

// response buffers the beginning of a body, so that a short one gets a content length and a long one can be compressed.
// It must be closed.
type response struct {
	w      http.ResponseWriter
	code   int
	gzip   bool
	begin  []byte
	out    io.Writer // nil until the buffer was written
	zipper *gzip.Writer
}

func newResponse(w http.ResponseWriter, r *http.Request, code int, contentType string) *response {
	w.Header().Set("Content-Type", contentType)
	return &response{w: w, code: code, gzip: acceptsGzip(r)}
}

func acceptsGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(encoding, ";")
		if strings.TrimSpace(name) == "gzip" {
			return strings.ReplaceAll(params, " ", "") != "q=0"
		}
	}
	return false
}

func (x *response) Write(p []byte) (int, error) {
	if x.out != nil {
		return x.out.Write(p)
	}
	x.begin = append(x.begin, p...)
	if len(x.begin) <= gzipFrom {
		return len(p), nil
	}
	x.out = x.w
	if x.gzip {
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Header().Add("Vary", "Accept-Encoding")
		x.zipper, _ = gzip.NewWriterLevel(x.w, gzip.BestSpeed)
		x.out = x.zipper
	}
	x.w.WriteHeader(x.code)
	_, err := x.out.Write(x.begin)
	x.begin = nil
	return len(p), err
}

func (x *response) Close() error {
	if x.zipper != nil {
		return x.zipper.Close()
	}
	if x.out != nil {
		return nil
	}
	x.w.Header().Set("Content-Length", strconv.Itoa(len(x.begin)))
	x.w.WriteHeader(x.code)
	_, err := x.w.Write(x.begin)
	return err
}

// writeObject writes one object, which has its kind set. Errors of a disconnected client are ignored.
func writeObject(w http.ResponseWriter, r *http.Request, code int, obj runtime.Object, form output) {
	data, err := encode(obj, form.media)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if form.pretty && form.media == mediaJSON {
		data = indent(data)
	}
	body := newResponse(w, r, code, form.media)
	_, _ = body.Write(data)
	_ = body.Close()
}

func indent(data []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimRight(data, "\n"), "", "  "); err != nil {
		return data
	}
	return out.Bytes()
}
