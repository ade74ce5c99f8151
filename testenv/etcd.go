package testenv

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"vedette.dev/testenv/internal/controlplane"
	"vedette.dev/testenv/internal/process"
)

// etcd is the etcd of the API server.
type etcd struct {
	process *process.Process
	name    string
	url     string
}

func (e *Env) startEtcd(ctx context.Context) (err error) {
	for range portAttempts {
		if err = e.tryEtcd(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

func (e *Env) tryEtcd(ctx context.Context) error {
	client, err := e.pickAddress()
	if err != nil {
		return err
	}
	peer, err := e.pickAddress()
	if err != nil {
		return err
	}
	e.etcd = etcd{name: "testenv-" + rand.Text(), url: "http://" + client}
	e.etcd.process, err = e.launch(ctx, process.Command{
		Name:   "etcd",
		Path:   e.programs.Path(controlplane.Etcd),
		Args:   e.etcd.args(e.keeper.Dir(), "http://"+peer),
		Log:    e.EtcdLog(),
		Output: e.cfg.Output,
	}, e.etcdReady)
	return err
}

func (s etcd) args(dir, peerURL string) []string {
	return []string{
		"--name=" + s.name,
		"--data-dir=" + filepath.Join(dir, s.name),
		"--listen-client-urls=" + s.url,
		"--advertise-client-urls=" + s.url,
		"--listen-peer-urls=" + peerURL,
		"--initial-advertise-peer-urls=" + peerURL,
		"--initial-cluster=" + s.name + "=" + peerURL,
		"--unsafe-no-fsync", // the data does not outlive the test
		// There is only one member, so elections can be fast: ready in 0.1 s instead of 0.6 s.
		"--heartbeat-interval=50",
		"--election-timeout=250",
	}
}

// etcdReady also checks the name: another environment's etcd may have taken the port, and would pass otherwise.
func (e *Env) etcdReady(ctx context.Context) error {
	var answer struct {
		Members []struct {
			Name string `json:"name"`
		} `json:"members"`
	}
	if err := e.askEtcd(ctx, "cluster/member/list", struct{}{}, &answer); err != nil {
		return err
	}
	if len(answer.Members) != 1 || answer.Members[0].Name != e.etcd.name {
		return fmt.Errorf("another etcd answers at %s", e.etcd.url)
	}
	return nil
}

// EtcdURL returns the client URL of etcd, without authentication.
func (e *Env) EtcdURL() string { return e.etcd.url }

// EtcdLog returns the log file of etcd.
func (e *Env) EtcdLog() string { return filepath.Join(e.keeper.Dir(), "etcd.log") }

// askEtcd uses etcd's JSON API, so that this module does not need etcd's client and gRPC. Bytes are in base64, as in
// encoding/json.
func (e *Env) askEtcd(ctx context.Context, method string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	body, err = e.fetch(ctx, http.MethodPost, e.etcd.url+"/v3/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	return json.Unmarshal(body, answer)
}
