package patch

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed files
var files embed.FS

// added is where the files of the folder files go in client-go.
var added = map[string]string{
	"rest_vedette.go.txt":        "rest/vedette.go",
	"tools_cache_vedette.go.txt": "tools/cache/vedette.go",
	"adapter.go.txt":             "tools/cache/vedette_adapter.go",
	"store.go.txt":               "tools/cache/vedette_store.go",
	"listwatch.go.txt":           "tools/cache/vedette_listwatch.go",
	"capture_capture.go.txt":     "internal/vedette/capture/capture.go",
	"capture_doc.go.txt":         "internal/vedette/capture/doc.go",
	"capture_listwatch.go.txt":   "internal/vedette/capture/listwatch.go",
}

// edit is a line of client-go that is another in the copy.
type edit struct{ file, before, after string }

var edits = []edit{
	{
		file:   "tools/cache/shared_informer.go",
		before: "\nfunc NewSharedIndexInformerWithOptions(",
		after:  "\nfunc newClientGoInformer(",
	},
	{
		file:   "rest/client.go",
		before: "\n\t\tClient:           client,\n",
		after:  "\n\t\tClient:           captured(client),\n",
	},
}

// known are the versions of client-go for which the edits were tested.
var known = []string{"v0.36.", "v0.37."}

func isKnown(version string) bool {
	for _, prefix := range known {
		if strings.HasPrefix(version, prefix) {
			return true
		}
	}
	return false
}

// copyClientGo writes the copy of a version of client-go, which is in a folder of the module cache.
func copyClientGo(from, to string) error {
	if err := copyTree(from, to); err != nil {
		return err
	}
	for _, e := range edits {
		if err := e.apply(to); err != nil {
			return err
		}
	}
	for name, at := range added {
		data, err := files.ReadFile(path.Join("files", name))
		if err != nil {
			return err
		}
		at = filepath.Join(to, filepath.FromSlash(at))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (e *edit) apply(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(e.file))
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if n := bytes.Count(data, []byte(e.before)); n != 1 {
		return fmt.Errorf("%s has the line %q %d times, want once: this client-go is not as it was published", e.file, strings.TrimSpace(e.before), n)
	}
	return os.WriteFile(name, bytes.Replace(data, []byte(e.before), []byte(e.after), 1), 0o644)
}

// copyTree copies files and folders. Those of the module cache cannot be written to, those of the copy can.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		switch {
		case entry.IsDir():
			return os.MkdirAll(at, 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(at, data, 0o644)
	})
}
