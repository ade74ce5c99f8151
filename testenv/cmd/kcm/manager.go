package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/pki"
	"vedette.dev/testenv/internal/process"
)

// manager is a kube-controller-manager.
type manager struct {
	keeper  *process.Keeper
	process *process.Process
	log     string
	url     string
	http    *http.Client
}

// startManager returns when the controller manager is healthy.
func startManager(ctx context.Context, program string, env *testenv.Env) (_ *manager, err error) {
	m := &manager{}
	if m.keeper, err = process.NewKeeper("vedette-kcm-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args, err := m.args(address, env)
	if err != nil {
		return nil, err
	}
	m.log = filepath.Join(m.keeper.Dir(), "kube-controller-manager.log")
	m.url = "https://" + address
	// The certificate is one that the program has made for itself, and the address is of this machine.
	m.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	m.process, err = m.keeper.Start(process.Command{Name: "kube-controller-manager", Path: program, Args: args, Log: m.log})
	if err != nil {
		return nil, err
	}
	return m, m.awaitHealth(ctx)
}

func (m *manager) args(address string, env *testenv.Env) ([]string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	key, err := pki.NewSigningKey()
	if err != nil {
		return nil, err
	}
	in := func(name string) string { return filepath.Join(m.keeper.Dir(), name) }
	err = errors.Join(os.WriteFile(in("service-accounts.key"), key, 0o600), os.WriteFile(in("ca.crt"), env.RESTConfig().CAData, 0o600))
	return []string{
		"--kubeconfig=" + env.Kubeconfig(),
		"--bind-address=" + host,
		"--secure-port=" + port,
		"--cert-dir=" + in("certs"),
		"--authorization-always-allow-paths=/healthz,/metrics,/debug/pprof/*",
		"--leader-elect=false",
		"--service-account-private-key-file=" + in("service-accounts.key"),
		"--root-ca-file=" + in("ca.crt"),
		// With the default of 20 requests a second most of the time would be spent waiting.
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		// Pods that have finished stay, however many there are.
		"--terminated-pod-gc-threshold=0",
		"--v=1",
	}, err
}

func (m *manager) awaitHealth(ctx context.Context) error {
	const timeout = time.Minute
	deadline := time.Now().Add(timeout)
	for {
		_, err := m.get(ctx, "/healthz")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.process.Done():
			return m.failure()
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("kube-controller-manager is not healthy after %v: %w\n%s", timeout, err, m.process.LogTail())
		}
	}
}

// failure returns how the process ended, with the end of its log, or nil if it runs.
func (m *manager) failure() error {
	if err := m.process.Failure(); err != nil {
		return fmt.Errorf("kube-controller-manager: %w", err)
	}
	return nil
}

func (m *manager) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := m.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %.200s", path, response.Status, body)
	}
	return body, err
}

// signal sends a signal to the process.
func (m *manager) signal(s syscall.Signal) error { return syscall.Kill(m.process.PID(), s) }

func (m *manager) close() error {
	if m.http != nil {
		m.http.CloseIdleConnections()
	}
	return m.keeper.Close()
}

// used is what a controller manager has used.
type used struct {
	heap      int64 // bytes, after two garbage collections: what is in a sync.Pool survives the first
	rss, peak int64 // bytes
	cpu       time.Duration
}

func (m *manager) usage(ctx context.Context) (used, error) {
	var u used
	var profile []byte
	var err error
	for range 2 {
		if profile, err = m.get(ctx, "/debug/pprof/heap?gc=1&debug=1"); err != nil {
			return u, err
		}
	}
	if u.heap, err = numberAfter(string(profile), "# HeapAlloc = "); err != nil {
		return u, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.process.PID()))
	if err != nil {
		return u, fmt.Errorf("memory is read from /proc, which needs Linux: %w", err)
	}
	for name, to := range map[string]*int64{"VmRSS:": &u.rss, "VmHWM:": &u.peak} {
		kilobytes, err := numberAfter(string(status), name)
		if err != nil {
			return u, err
		}
		*to = kilobytes << 10
	}
	u.cpu, err = m.cpu(ctx)
	return u, err
}

// cpu returns the processor time that was used so far.
func (m *manager) cpu(ctx context.Context) (time.Duration, error) {
	metrics, err := m.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	const name = "process_cpu_seconds_total "
	lines := bufio.NewScanner(strings.NewReader(string(metrics)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name); ok {
			seconds, err := strconv.ParseFloat(value, 64)
			return time.Duration(seconds * float64(time.Second)), err
		}
	}
	return 0, errors.Join(lines.Err(), fmt.Errorf("no metric %s", name))
}

// numberAfter returns the number that follows a text.
func numberAfter(text, before string) (int64, error) {
	_, after, ok := strings.Cut(text, before)
	fields := strings.Fields(after)
	if !ok || len(fields) == 0 {
		return 0, fmt.Errorf("%q is missing", before)
	}
	return strconv.ParseInt(fields[0], 10, 64)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
