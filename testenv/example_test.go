//go:build unix

package testenv_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"vedette.dev/rest"
	"vedette.dev/testenv"
)

// Outside of tests, an environment is started and stopped by hand. In tests, see Shared and New.
func ExampleStart() {
	env, err := testenv.Start(context.Background(), testenv.Config{})
	if err != nil {
		log.Fatal(err) // with the end of the server's log
	}
	defer env.Stop()

	transport, err := rest.TransportFor(env.RESTConfig())
	if err != nil {
		log.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Get(env.Host() + "/api/v1/namespaces/default")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
}
