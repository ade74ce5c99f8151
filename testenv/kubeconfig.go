package testenv

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
)

// Kubeconfig returns the path of a kubeconfig file with three contexts: "admin", which is the current one,
// "admin-cert", the same user with a client certificate in place of a token, and "user", without permissions.
func (e *Env) Kubeconfig() string { return filepath.Join(e.keeper.Dir(), "kubeconfig") }

const kubeconfig = `apiVersion: v1
kind: Config
current-context: admin
clusters:
- name: testenv
  cluster:
    server: %[1]s
    certificate-authority-data: %[2]s
contexts:
- name: admin
  context: {cluster: testenv, user: admin}
- name: admin-cert
  context: {cluster: testenv, user: admin-cert}
- name: user
  context: {cluster: testenv, user: user}
users:
- name: admin
  user:
    token: %[3]s
- name: admin-cert
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
- name: user
  user:
    token: %[6]s
`

func (a access) writeKubeconfig(path, server string) error {
	data := base64.StdEncoding.EncodeToString
	content := fmt.Sprintf(kubeconfig, server, data(a.ca),
		a.adminToken, data(a.adminCert.Cert), data(a.adminCert.Key), a.plainToken)
	return os.WriteFile(path, []byte(content), 0o600)
}
