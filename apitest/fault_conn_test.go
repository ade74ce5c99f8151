package apitest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// A client that is told when to come back does so, and sees nothing of the fault but the time that it took.
func TestFaultRetryAfter(t *testing.T) {
	for fault, want := range map[string]time.Duration{
		"429 times=2":                2 * time.Second,
		"429 retry-after=5s times=3": 15 * time.Second,
		"503 times=2":                2 * time.Second,
		"500 retry-after=3s times=1": 3 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{InMemory: true})
			injection := inject(t, server, "list configmaps: "+fault)
			began := time.Now()
			_, err := clientset(t, closed(t, server.RESTConfig())).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
			if took := time.Since(began); err != nil || took != want || injection.Wait(t.Context(), injection.Fault().Times) != nil {
				t.Errorf("%s: %v after %v, hit %d times", fault, err, took, injection.Hits())
			}
			server.Close()
		})
	}
}

func TestFaultSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		inject(t, server, "list configmaps: slow delay=7s times=1")
		inject(t, server, "* configmaps: slow delay=3s times=1") // both happen
		client := clientset(t, closed(t, server.RESTConfig()))
		for _, want := range []time.Duration{10 * time.Second, 0} {
			began := time.Now()
			if _, err := listOnce(t.Context(), client); err != nil || time.Since(began) != want {
				t.Errorf("%v after %v, want %v", err, time.Since(began), want)
			}
		}
		// A client that does not wait for it is not affected by it.
		inject(t, server, "list configmaps: slow delay=1h")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := listOnce(ctx, client); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		go func() { _, _ = listOnce(t.Context(), client) }()
		synctest.Wait()
		server.Close() // does not wait for the hour
	})
}

func TestFaultTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		fillMaps(t, server, "a", "b")
		injection := inject(t, server, "list configmaps: trickle delay=1s bytes=100")
		client := clientset(t, closed(t, server.RESTConfig()))
		began := time.Now()
		raw, err := client.CoreV1().RESTClient().Get().Resource("configmaps").Namespace("default").DoRaw(t.Context())
		if want := time.Duration((len(raw)+99)/100) * time.Second; err != nil || time.Since(began) != want || injection.Hits() != 1 {
			t.Errorf("%d bytes after %v, %v", len(raw), time.Since(began), err)
		}
		server.Close()
	})
}

// httpVersions are the ways to reach a server, with both versions of HTTP.
func httpVersions(t *testing.T, run func(t *testing.T, server *apitest.Server, config *rest.Config)) {
	for name, start := range ways {
		protocols := []string{"http/1.1"}
		if name == "TLS" {
			protocols = append(protocols, "h2")
		}
		for _, protocol := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				server := apitest.New(t, start)
				config := server.RESTConfig()
				config.NextProtos = []string{protocol}
				run(t, server, closed(t, config))
			})
		}
	}
}

// apart is a configuration for the same that shares no connections with the others.
func apart(t testing.TB, config *rest.Config) *rest.Config {
	t.Helper()
	config = rest.CopyConfig(config)
	dial := config.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	return closed(t, config)
}

// An answer that breaks off is an error, and says how far it came. What it was about may have been done.
func TestFaultCutAnswer(t *testing.T) {
	httpVersions(t, func(t *testing.T, server *apitest.Server, config *rest.Config) {
		fillMaps(t, server, "a", "b", "c")
		client := clientset(t, config)
		for _, fault := range []string{"list configmaps: cut times=1", "list configmaps: cut bytes=30 times=1"} {
			injection := inject(t, server, fault)
			_, err := listOnce(t.Context(), client)
			if err == nil || !strings.Contains(err.Error(), "reading the response failed") || injection.Hits() != 1 {
				t.Errorf("%s: %v", fault, err)
			}
			exact := config.NextProtos[0] != "h2" // there, the bytes are on their way in another goroutine
			if exact && strings.Contains(fault, "bytes=30") && err != nil && !strings.Contains(err.Error(), "after 30 bytes") {
				t.Errorf("%s: %v", fault, err)
			}
			if code, err := listOnce(t.Context(), client); code != 200 {
				t.Errorf("afterwards: %v", err)
			}
		}
		inject(t, server, "create configmaps: cut times=1")
		if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("d"), metav1.CreateOptions{}); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
			t.Errorf("creation: %v", err)
		}
		if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "d", metav1.GetOptions{}); err != nil {
			t.Errorf("it was not created: %v", err)
		}
	})
}

// A connection that goes silent is neither closed nor used: the client waits for its timeout. Other connections work.
func TestFaultSilentAnswer(t *testing.T) {
	httpVersions(t, func(t *testing.T, server *apitest.Server, config *rest.Config) {
		fillMaps(t, server, "a")
		for _, fault := range []string{"list configmaps: silence times=1", "list configmaps: silence bytes=20 times=1"} {
			injection := inject(t, server, fault)
			ctx, cancel := context.WithCancel(t.Context())
			client, answered := clientset(t, apart(t, config)), make(chan error, 1)
			go func() {
				_, err := listOnce(ctx, client)
				answered <- err
			}()
			if err := injection.Wait(ctx, 1); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-answered:
				t.Errorf("%s: %v", fault, err)
			case <-time.After(200 * time.Millisecond):
				cancel()
				if err := <-answered; !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", fault, err)
				}
			}
			cancel()
		}
		if code, err := listOnce(t.Context(), clientset(t, apart(t, config))); code != 200 {
			t.Errorf("on another connection: %v", err)
		}
	})
}

// A watch that is under way goes silent. In a bubble nothing answers a ping, so that the client never notices; the server can be
// closed nevertheless.
func TestFaultSilentWatchInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := clientset(t, closed(t, server.RESTConfig()))
		w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fillMaps(t, server, "a")
		expect(t, w, watch.Added, "a")
		injection := inject(t, server, "watch configmaps: silence")
		if injection.Hits() != 1 {
			t.Fatalf("hit %d times", injection.Hits())
		}
		fillMaps(t, server, "b")
		select {
		case event, open := <-w.ResultChan():
			t.Errorf("%+v %v", event, open)
		case <-time.After(24 * time.Hour):
		}
		// A new watch has its header, and no more.
		second, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case event, open := <-second.ResultChan():
			t.Errorf("%+v %v", event, open)
		case <-time.After(time.Hour):
		}
		server.Close()
		if _, open := <-w.ResultChan(); open {
			t.Error("an event after the end")
		}
		<-second.ResultChan()
	})
}

// With HTTP/2 a client pings, and gives up without an answer. That is how package rest notices, after half a minute; here it is
// done in less. With HTTP/1.1 over a socket the kernel answers probes, and a client does not notice.
func TestFaultSilenceAnswersNoPings(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	config, err := rest.TLSConfigFor(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 100 * time.Millisecond, PingTimeout: 2 * time.Second}}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/api/v1/configmaps?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(resp.Body)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("without a fault the watch ended: %v", err)
	case <-time.After(time.Second):
	}
	inject(t, server, "watch configmaps: silence")
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "client connection lost") {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the pings were answered")
	}
}

func TestCutConnections(t *testing.T) {
	httpVersions(t, func(t *testing.T, server *apitest.Server, config *rest.Config) {
		client := clientset(t, config)
		frames, err := client.CoreV1().RESTClient().Get().Resource("configmaps").Param("watch", "1").Frames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
		server.CutConnections()
		if _, err := frames.Next(); err == nil || err == io.EOF {
			t.Errorf("the watch ended with %v", err)
		}
		if code, err := listOnce(t.Context(), client); code != 200 {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestRefuseConnections(t *testing.T) {
	httpVersions(t, func(t *testing.T, server *apitest.Server, config *rest.Config) {
		client := clientset(t, config)
		fillMaps(t, server, "a")
		w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		for range 3 {
			server.RefuseConnections()
			server.RefuseConnections() // does no harm
			if _, err := listOnce(t.Context(), clientset(t, apart(t, config))); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("while refused: %v", err)
			}
			for range 2 {
				if err := server.AcceptConnections(); err != nil {
					t.Fatal(err)
				}
			}
			if code, err := listOnce(t.Context(), clientset(t, apart(t, config))); code != 200 {
				t.Errorf("afterwards: %v", err)
			}
		}
		expect(t, w, watch.Added, "a") // what was there stays
		server.RefuseConnections()
		server.Close()
	})
}
