package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"vedette.dev/clientcmd"
	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/internal/plainurl"
)

// written is the first line of the files that this command writes, and identifies them. Programs that change a kubeconfig
// drop comments, so a file that another program has changed is not taken for its own.
const written = "# Written by 'vedette serve', which may write it again.\n"

// kubeconfigFile is the destination of the kubeconfig.
type kubeconfigFile struct {
	path    string // empty for standard output
	content []byte // what was written
}

// newKubeconfigFile returns an error for a file that another program has written, or that is in use, unless force is set.
func newKubeconfigFile(path string, force bool) (*kubeconfigFile, error) {
	if path == "-" {
		return &kubeconfigFile{}, nil
	}
	if path == "" {
		return nil, usagef("--kubeconfig-out is empty; it must be a file, or - for standard output")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || force:
	case err != nil:
		return nil, fmt.Errorf("--kubeconfig-out: %w", err)
	case !bytes.HasPrefix(content, []byte(written)):
		return nil, fmt.Errorf("%s was not written by vedette serve, and is not overwritten\nChoose another file with --kubeconfig-out, or write over it with --force", path)
	default:
		if server := inUse(content); server != "" {
			return nil, fmt.Errorf("%s is the kubeconfig of another server, at %s\nChoose another file with --kubeconfig-out, or write over it with --force", path, server)
		}
	}
	return &kubeconfigFile{path: path}, nil
}

// inUse returns the address of the server of a kubeconfig if it still accepts connections.
func inUse(content []byte) string {
	config, err := clientcmd.Load(content)
	if err != nil {
		return ""
	}
	for _, c := range config.Clusters {
		conn, err := net.DialTimeout("tcp", hostOf(c.Server), time.Second)
		if err == nil {
			_ = conn.Close()
			return plainurl.Hide(c.Server)
		}
	}
	return ""
}

// write writes the kubeconfig of a server, for clients that reach it at address.
func (k *kubeconfigFile) write(out io.Writer, from []byte, address string) error {
	content, err := kubeconfigFor(from, address)
	if err != nil {
		return err
	}
	content = append([]byte(written), content...)
	if k.path == "" {
		_, err := out.Write(content)
		return err
	}
	if err := writeFile(k.path, content); err != nil {
		return fmt.Errorf("--kubeconfig-out: %w", err)
	}
	k.content = content
	return nil
}

// writeFile atomically writes a file that only its owner can read.
func writeFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// remove removes the file, if it is still as it was written.
func (k *kubeconfigFile) remove() {
	if k.path == "" || k.content == nil {
		return
	}
	if content, err := os.ReadFile(k.path); err == nil && bytes.Equal(content, k.content) {
		_ = os.Remove(k.path)
	}
}

// kubeconfigFor returns a server's kubeconfig for clients that reach it at address.
func kubeconfigFor(from []byte, address string) ([]byte, error) {
	config, err := clientcmd.Load(from)
	if err != nil {
		return nil, err
	}
	const name = "vedette"
	result := clientcmdapi.NewConfig()
	for _, c := range config.Clusters {
		c.Server = serverURL(address)
		if host, _, err := net.SplitHostPort(address); err == nil && host != "127.0.0.1" {
			c.TLSServerName = "localhost" // a name in the certificate of the server, wherever it is reached
		}
		result.Clusters[name] = c
	}
	for _, user := range config.AuthInfos {
		result.AuthInfos[name] = user
	}
	result.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	result.CurrentContext = name
	return clientcmd.Write(*result)
}
