package kinds

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// recordedHashes are those of the recorded documents, by path.
var recordedHashes = sync.OnceValue(func() map[string]string {
	var index openAPIIndex
	recorded().decode("openapi/v3.json", &index)
	hashes := map[string]string{}
	for path, at := range index.Paths {
		if u, err := url.Parse(at.ServerRelativeURL); err == nil {
			hashes[path] = u.Query().Get("hash")
		}
	}
	return hashes
})

// writeCompressed spares unpacking a recorded document only to have it travel: what is in the archive is what gzip has
// between its header and its trailer.
func writeCompressed(w http.ResponseWriter, req *http.Request, name string, body []byte) {
	f, ok := recorded().files[name]
	if !ok || !strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = w.Write(body)
		return
	}
	raw, err := f.OpenRaw()
	if err != nil {
		_, _ = w.Write(body)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff})
	_, _ = io.Copy(w, raw)
	trailer := binary.LittleEndian.AppendUint32(nil, f.CRC32)
	_, _ = w.Write(binary.LittleEndian.AppendUint32(trailer, uint32(f.UncompressedSize64)))
}
