package kinds

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// recordedZip is what kube-apiserver said of itself. The command testenv/cmd/record makes it.
//
//go:embed recorded.zip
var recordedZip []byte

// archive holds documents by name: discovery/api.json and apis.json (aggregated discovery), resources/<path>.json (the
// lists of each version), openapi/v2.json and v2.pb, openapi/v3/<path>.json, version.json.
type archive struct {
	files map[string]*zip.File
	// once per document, since most are never asked for and the large ones unpack to more than a megabyte
	unpacked map[string]func() []byte
}

var recorded = sync.OnceValue(func() *archive {
	r, err := zip.NewReader(bytes.NewReader(recordedZip), int64(len(recordedZip)))
	if err != nil {
		panic(fmt.Sprintf("kinds: the embedded archive is damaged: %v", err))
	}
	a := &archive{files: map[string]*zip.File{}, unpacked: map[string]func() []byte{}}
	for _, f := range r.File {
		a.files[f.Name] = f
		a.unpacked[f.Name] = sync.OnceValue(func() []byte { return unpack(f) })
	}
	return a
})

func unpack(f *zip.File) []byte {
	r, err := f.Open()
	if err != nil {
		panic(fmt.Sprintf("kinds: %s in the embedded archive: %v", f.Name, err))
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("kinds: %s in the embedded archive: %v", f.Name, err))
	}
	return data
}

// document is shared: it must not be changed.
func (a *archive) document(name string) ([]byte, bool) {
	get, ok := a.unpacked[name]
	if !ok {
		return nil, false
	}
	return get(), true
}

// decode reads a document that is known to exist.
func (a *archive) decode(name string, into any) {
	data, ok := a.document(name)
	if !ok {
		panic("kinds: the embedded archive has no " + name)
	}
	if err := json.Unmarshal(data, into); err != nil {
		panic(fmt.Sprintf("kinds: %s in the embedded archive: %v", name, err))
	}
}
