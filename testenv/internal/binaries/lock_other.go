//go:build !unix

package binaries

import (
	"context"
	"errors"
	"path/filepath"
)

func (c *Cache) lockPath() string { return filepath.Join(c.dir, "testenv.lock") }

func (c *Cache) lock(context.Context) (unlock func(), err error) {
	return nil, errors.New("kube-apiserver runs on Linux, macOS and other Unix systems only: run these tests there")
}
