package demo

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
)

// What cannot be removed is named, also if it never came to a start.
func TestWhatIsLeftIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		for _, text := range []string{"delete namespaces: 403", "create configmaps: 403"} {
			fault, err := apitest.ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := server.Inject(fault); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Start(t.Context(), Config{REST: server.RESTConfig()})
		var left *LeftError
		if !errors.As(err, &left) || left.UnderWay || !strings.Contains(left.Error(), "namespace vedette-demo-") || !strings.Contains(err.Error(), "cannot create a config map") {
			t.Errorf("got %v", err)
		}
	})
}

// A real server keeps sites, and with them the kind and the namespace, for as long as they have finalizers.
func TestSitesAreReleased(t *testing.T) {
	inDemo(t, true, Config{Objects: 5, Pause: -1}, time.Second, func(t *testing.T, d *Demo, _ *apitest.Server) {
		finalizers := func() (count int) {
			list, err := d.machine.sites.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, site := range list.Items {
				count += len(site.Finalizers)
			}
			return count
		}
		d.machine.stop()
		if finalizers() == 0 {
			t.Fatal("the sites have no finalizers to begin with")
		}
		if err := d.world.(*cluster).release(t.Context()); err != nil || finalizers() != 0 {
			t.Errorf("%d finalizers are left, %v", finalizers(), err)
		}
	})
}

// A cluster that is still removing the namespace is reported as such.
func TestANamespaceThatIsStillTerminating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, NoControllers: true}) // no controller empties namespaces
		d, err := Start(t.Context(), Config{REST: server.RESTConfig(), Objects: 5})
		if err != nil {
			t.Fatal(err)
		}
		var left *LeftError
		if err := d.Close(); !errors.As(err, &left) || !left.UnderWay || !errors.Is(err, errTerminating) {
			t.Errorf("got %v", err)
		}
	})
}
