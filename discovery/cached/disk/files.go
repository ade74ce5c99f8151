package disk

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	dirMode  = 0o750
	fileMode = 0o660
)

// read reports whether a file was read into obj: it is there, not too old, of this kind, and may be used.
func (d *CachedDiscoveryClient) read(file string, obj any, kind string, found *metav1.TypeMeta) bool {
	d.mu.Lock()
	own, invalidated := d.own[file], d.invalidated
	d.mu.Unlock()
	if invalidated && !own {
		return false
	}
	data, ok := readFresh(file, d.ttl)
	if !ok || json.Unmarshal(data, obj) != nil || found.Kind != kind || found.APIVersion != "v1" {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh = d.fresh && own
	return true
}

func readFresh(file string, ttl time.Duration) ([]byte, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || time.Since(info.ModTime()) > ttl {
		return nil, false
	}
	data, err := io.ReadAll(f)
	return data, err == nil
}

// write replaces a file. If that fails, the server is asked again next time.
func (d *CachedDiscoveryClient) write(file string, obj any) {
	data, err := json.Marshal(obj)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if writeFile(file, data) == nil {
		d.own[file] = true
	}
}

// writeFile replaces a file in one step: other processes read the old one or the new one.
func writeFile(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(file)+".")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(data)
	if chmod := f.Chmod(fileMode); err == nil {
		err = chmod
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
