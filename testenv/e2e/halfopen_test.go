package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/testenv/internal/tunnel"
)

func newTunnel(t *testing.T, to string) *tunnel.Tunnel {
	t.Helper()
	tun, err := tunnel.New(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tun.Close)
	return tun
}

// A connection over which nothing comes any more, and that neither side closed, is given up within 45 seconds.
func TestHalfOpenConnection(t *testing.T) {
	t.Parallel()
	config := adminConfig(t)
	tun := newTunnel(t, strings.TrimPrefix(shared.Env(t).Host(), "https://"))
	config.Host = "https://" + tun.Address()
	config.ServerName = "127.0.0.1"
	client, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	w, err := client.CoreV1().Namespaces().Watch(within(t, 2*time.Minute), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	<-w.ResultChan() // the watch is on
	tun.Swallow(true)
	begin := time.Now()
	for range w.ResultChan() {
	}
	took := time.Since(begin)
	t.Logf("noticed after %v", took.Round(time.Second))
	if took > 45*time.Second {
		t.Errorf("noticed after %v only", took)
	}
}
