package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Items is a list that is read as a stream: each item is available as soon as its bytes have arrived, and memory is
// needed for one item at a time. It is not safe for concurrent use, and must be closed.
type Items struct {
	what     string
	reader   itemReader
	encoding Encoding
	body     io.ReadCloser
	cancel   context.CancelFunc

	current Raw
	count   int
	err     error // the first error
}

// Items sends a list request, and returns the list as a stream of items.
//
//	items, err := client.Get().Resource("pods").VersionedParams(&opts, codec).Items(ctx)
//	if err != nil {
//		return err
//	}
//	defer items.Close()
//	for item, err := range items.All() {
//		…
//	}
func (r *Request) Items(ctx context.Context) (*Items, error) {
	resp, cancel, err := r.answer(ctx)
	if err != nil {
		return nil, err
	}
	items, err := r.newItems(ctx, resp)
	if err != nil {
		cancel()
		return nil, err
	}
	items.cancel = cancel
	return items, nil
}

func (r *Request) newItems(ctx context.Context, resp *http.Response) (*Items, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, r.refused(ctx, resp)
	}
	items, err := itemsOf(r.what(), resp, r.c.responseLimit())
	if err != nil {
		return nil, err
	}
	r.warn(ctx, resp)
	return items, nil
}

// ItemsOf returns the items of a list response of another client. The response has the status 200; the Items own it,
// and it is closed if there is an error.
func ItemsOf(resp *http.Response) (*Items, error) {
	return itemsOf(whatOf(resp), resp, DefaultMaxResponseBytes)
}

func itemsOf(what string, resp *http.Response, most int64) (*Items, error) {
	encoding, err := streamEncoding(what, resp)
	if err != nil {
		return nil, err
	}
	items := &Items{what: what, encoding: encoding, body: resp.Body, cancel: func() {}}
	items.reader = encoding.format().items(resp.Body, maxObjectSize, most)
	return items, nil
}

// ErrNoStream means that a response has an encoding that cannot be read item by item, such as YAML.
var ErrNoStream = errors.New("not JSON, protobuf or CBOR")

// whatOf returns the name of the request for errors.
func whatOf(resp *http.Response) string {
	if resp.Request == nil || resp.Request.URL == nil {
		return "a request"
	}
	return resp.Request.Method + " " + resp.Request.URL.Path
}

// streamEncoding returns the encoding of a response to be read as a stream. It closes the response if there is an
// error.
func streamEncoding(what string, resp *http.Response) (Encoding, error) {
	contentType := resp.Header.Get("Content-Type")
	mediaType, _, _ := mime.ParseMediaType(contentType)
	for encoding, f := range formats {
		if f.mediaType() == mediaType || f.streamType() == mediaType {
			return Encoding(encoding), nil
		}
	}
	defer discard(resp)
	const enough = 200
	beginning, _ := io.ReadAll(io.LimitReader(resp.Body, enough))
	return 0, fmt.Errorf("%s: unexpected content type %q: %w; the response is not from an API server, or another encoding was requested; it begins with %q",
		what, contentType, ErrNoStream, beginning)
}

// Next returns the next item, which is valid until the next call. The error is io.EOF at the end of the list; any other
// error means that the list is not complete.
func (i *Items) Next() (*Raw, error) {
	if i.err != nil {
		return nil, i.err
	}
	data, err := i.reader.Next()
	if err != nil {
		i.err = i.explain(err)
		return nil, i.err
	}
	apiVersion, kind, _ := i.reader.header()
	i.current = Raw{Encoding: i.encoding, APIVersion: apiVersion, Kind: itemKind(kind), Bytes: data}
	i.count++
	return &i.current, nil
}

func (i *Items) explain(err error) error {
	if err == io.EOF {
		_, kind, _ := i.reader.header()
		if kind == "Status" {
			return fmt.Errorf("%s: got a Status, want a list", i.what)
		}
		// The list ends before the body does: a few bytes and the last chunk follow. A connection can be reused only if
		// the body was read to its end.
		const worthReading = 2 << 10
		_, _ = io.CopyN(io.Discard, i.body, worthReading)
		return io.EOF
	}
	return fmt.Errorf("%s: list interrupted after %d items: %w", i.what, i.count, err)
}

// All returns the remaining items, for a range loop. If the list is interrupted, the last pair has the error.
func (i *Items) All() iter.Seq2[*Raw, error] {
	return func(yield func(*Raw, error) bool) {
		for {
			item, err := i.Next()
			if err == io.EOF {
				return
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// ListMeta returns the metadata of the list: its resource version, and the continue token. It is complete when Next has
// returned io.EOF.
func (i *Items) ListMeta() (metav1.ListMeta, error) {
	var meta metav1.ListMeta
	_, _, data := i.reader.header()
	if len(data) == 0 {
		return meta, nil
	}
	if err := i.encoding.format().listMeta(data, &meta); err != nil {
		return metav1.ListMeta{}, fmt.Errorf("%s: metadata of the list: %w", i.what, err)
	}
	return meta, nil
}

// Close ends the request. Items that have not been read are lost.
func (i *Items) Close() error {
	i.err = errors.Join(errClosed, i.err)
	i.cancel()
	return i.body.Close()
}

var errClosed = errors.New("stream is closed")
