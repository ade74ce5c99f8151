package binaries

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sums is the file with the checksums of a set, in the form of sha256sum. It is written last.
const sums = "SHA256SUMS"

// seal writes down what the files are now.
func seal(dir string, names ...string) error {
	content, err := checksums(dir, names)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sums), content, 0o644)
}

// verify reports whether the files are as they were when they were sealed. It reads 130 MB, which takes a tenth of a
// second: little beside starting them, and a file cut short by a full disk would cause an unexplained crash.
func verify(dir string, names ...string) error {
	want, err := os.ReadFile(filepath.Join(dir, sums))
	if err != nil {
		return err
	}
	got, err := checksums(dir, names)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s: not what was built, by their checksums", strings.Join(names, " or "))
	}
	return nil
}

func checksums(dir string, names []string) ([]byte, error) {
	var content bytes.Buffer
	for _, name := range names {
		sum, err := checksum(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&content, "%s  %s\n", sum, name)
	}
	return content.Bytes(), nil
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
