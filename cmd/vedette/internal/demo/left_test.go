package demo

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

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
		if !errors.As(err, &left) || !strings.Contains(left.Error(), "namespace vedette-demo-") || !strings.Contains(err.Error(), "cannot create a config map") {
			t.Errorf("got %v", err)
		}
	})
}
