package discovery

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// fetch asks for a document, and returns it with its content type. An error is as the server described it.
func (d *DiscoveryClient) fetch(ctx context.Context, path, accept string) (body []byte, contentType string, err error) {
	result := d.restClient.Get().AbsPath(path).SetHeader("Accept", accept).Do(ctx)
	if err := result.ContentType(&contentType).Error(); err != nil {
		return nil, "", err
	}
	body, err = result.Raw()
	return body, contentType, err
}

// read decodes a document into an object of the given kind. A document may leave out its kind, but not be of another.
func read(path, kind string, body []byte, contentType string, into runtime.Object) error {
	err := json.Unmarshal(body, into)
	if got := into.GetObjectKind().GroupVersionKind().Kind; err == nil && got != "" && got != kind {
		err = fmt.Errorf("it is of kind %q", got)
	}
	return unreadable(path, kind, body, contentType, err)
}

// unreadable describes a response that is not the document. Its beginning says more than the position of a syntax error: a
// login page of a proxy, or half of an answer.
func unreadable(path, kind string, body []byte, contentType string, err error) error {
	if err == nil {
		return nil
	}
	const enough = 120
	return fmt.Errorf("GET %s: the answer (%d bytes of %q) is not the %s of an API server: %w; it begins with %q",
		path, len(body), contentType, kind, err, body[:min(len(body), enough)])
}
