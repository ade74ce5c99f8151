package ctrl_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"vedette.dev/bridge/ctrl"
	"vedette.dev/console"
)

var _ ctrl.Manager = manager.Manager(nil)

// newManager returns a manager whose metrics server is at an address, which may be "0".
func newManager(t *testing.T, config *rest.Config, address string, change ...func(*manager.Options)) manager.Manager {
	t.Helper()
	options := manager.Options{
		NewCache: ctrl.NewCache, Metrics: metricsserver.Options{BindAddress: address}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)}, Logger: logr.Discard(),
	}
	for _, f := range change {
		f(&options)
	}
	mgr, err := manager.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	return mgr
}

// startManager runs a manager until the test ends, or stop is called.
func startManager(t *testing.T, mgr manager.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache has not synced")
	}
	return stop
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// get returns the answer of an address, and waits until something answers there.
func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		resp, err := client.Get(url)
		if err != nil {
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
			continue
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
}

// TestWhereThePageIs has the page on the metrics server of a manager, and on an address of its own.
func TestWhereThePageIs(t *testing.T) {
	_, config := newServer(t)
	for name, mount := range map[string]func(address string) (manager.Manager, error){
		"metrics server": func(address string) (manager.Manager, error) {
			mgr := newManager(t, config, address)
			return mgr, ctrl.MountConsole(mgr, console.Config{})
		},
		"own address": func(address string) (manager.Manager, error) {
			mgr := newManager(t, config, "0")
			return mgr, ctrl.ServeConsole(mgr, address, console.Config{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			address := freeAddress(t)
			mgr, err := mount(address)
			if err != nil {
				t.Fatal(err)
			}
			stop := startManager(t, mgr)
			if err := mgr.GetClient().Get(t.Context(), key, &corev1.Pod{}); err != nil {
				t.Error(err)
			}
			page := "http://" + address + ctrl.ConsolePath
			if status, text := get(t, page+"?format=json"); status != http.StatusOK || !strings.Contains(text, `"core/v1.Pod"`) {
				t.Errorf("status %d: %s", status, text)
			}
			if status, text := get(t, "http://"+address+"/"); (status == http.StatusOK) != (name == "own address") {
				t.Errorf("status %d: %s", status, text)
			}
			if err := ctrl.ServeConsole(mgr, freeAddress(t), console.Config{}); err == nil || !strings.Contains(err.Error(), "before the manager starts") {
				t.Errorf("after the start: %v", err)
			}
			// A viewer does not keep the manager from stopping.
			viewer := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 15 * time.Second}
			resp, err := viewer.Get(page + "?stream=1")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			began := time.Now()
			stop()
			if took := time.Since(began); took > 1500*time.Millisecond {
				t.Errorf("the manager took %v to stop", took)
			}
			if _, err := io.ReadAll(resp.Body); err != nil {
				t.Errorf("the viewer was not let go of: %v", err)
			}
		})
	}
}

func TestManagersThatCannotHaveThePage(t *testing.T) {
	_, config := newServer(t)
	mgr := newManager(t, config, "0")
	if err := ctrl.MountConsole(mgr, console.Config{}); err == nil || !strings.Contains(err.Error(), "no metrics server") || !strings.Contains(err.Error(), "ServeConsole") {
		t.Errorf("without a metrics server: %v", err)
	}
	for _, address := range []string{"", "0"} {
		if err := ctrl.ServeConsole(mgr, address, console.Config{}); err == nil || !strings.Contains(err.Error(), "localhost:8082") {
			t.Errorf("at the address %q: %v", address, err)
		}
	}
	stock, err := manager.New(config, manager.Options{Metrics: metricsserver.Options{BindAddress: "0"}, Logger: logr.Discard()})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.MountConsole(stock, console.Config{}); err == nil || !strings.Contains(err.Error(), "NewCache") {
		t.Errorf("with another cache: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, address := range []string{"no address", listener.Addr().String()} {
		if err := ctrl.ServeConsole(mgr, address, console.Config{}); err == nil || !strings.Contains(err.Error(), "cannot serve the console") {
			t.Errorf("at the address %q: %v", address, err)
		}
	}
}
