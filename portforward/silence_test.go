package portforward

import (
	"testing"
	"testing/synctest"
	"time"

	//lint:ignore SA1019 a test of both packages
	apistream "k8s.io/apimachinery/pkg/util/httpstream"

	"vedette.dev/internal/streamconn"
	"vedette.dev/internal/streamtest"
	"vedette.dev/rest"
)

// A server that is gone without a word is noticed in about a minute, and one that is quiet is not lost.
func TestSilence(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		synctest.Test(t, func(t *testing.T) {
			s := streamtest.New(t)
			s.Forward = echo
			dial := s.Pipe()
			s.Start()
			conn, _, err := dialer(t, &rest.Config{Dial: dial}, target(s)).Dial(PortForwardProtocolV1Name)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			time.Sleep(time.Hour)
			select {
			case <-conn.CloseChan():
				t.Fatal(streamconn.Err(conn))
			default:
			}
			s.Freeze()
			began := time.Now()
			<-conn.CloseChan()
			if d := time.Since(began); d < 50*time.Second || d > 2*time.Minute {
				t.Errorf("it took %v", d)
			}
			if err := streamconn.Err(conn); err == nil || err.Error() != "connection lost: no answer to pings for 1m1s" {
				t.Errorf("error %v", err)
			}
		})
	})
}
