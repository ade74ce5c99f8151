//go:build vedette_noconsole

package console

import (
	"context"
	"net/http"
)

// Page is not part of this program: see [Handler].
type Page struct{}

// Handler returns a page that answers 404: the program was built with -tags vedette_noconsole.
func Handler(config Config) *Page {
	if err := config.validate(); err != nil {
		panic(err.Error())
	}
	return &Page{}
}

// ServeHTTP answers 404.
func (*Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "this program was built without the console (-tags vedette_noconsole)", http.StatusNotFound)
}

// Run waits until the context ends: there is nothing to sample.
func (*Page) Run(ctx context.Context) { <-ctx.Done() }

// Close does nothing.
func (*Page) Close() {}
