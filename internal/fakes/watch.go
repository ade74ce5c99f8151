package fakes

import (
	"context"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/testing"
)

// watch asks the reactors for events.
func (t *Transport) watch(c *call, a testing.WatchActionImpl) (*http.Response, error) {
	t.Fake.Record(a)
	_, chain, _ := t.Fake.Chains()
	for _, r := range chain {
		if _, isServer := r.(*ServerWatch); isServer && t.Server != nil {
			return t.pass(c)
		}
		if !r.Handles(a) {
			continue
		}
		handled, w, err := r.React(a.DeepCopy())
		switch {
		case !handled:
			continue
		case err != nil:
			return refuse(err)
		case w == nil:
			return refuse(fmt.Errorf("a reactor handled the watch of %s without a watch and without an error", a.Resource.Resource))
		}
		return t.stream(c, w), nil
	}
	return refuse(fmt.Errorf("no reactor handles the watch of %s", a.Resource.Resource))
}

// mustList reports whether a watch asks for a list at its beginning, where reactors have a word in lists or watches: they
// were written for a list and then a watch.
func (t *Transport) mustList(a testing.WatchActionImpl) bool {
	if a.ListOptions.SendInitialEvents == nil || !*a.ListOptions.SendInitialEvents {
		return false
	}
	list := testing.NewListActionWithOptions(a.Resource, schema.GroupVersionKind{}, a.Namespace, metav1.ListOptions{})
	chain, watchChain, _ := t.Fake.Chains()
	for _, r := range chain {
		if _, isServer := r.(*Server); isServer {
			break
		}
		if r.Handles(list) {
			return true
		}
	}
	for _, r := range watchChain {
		if _, isServer := r.(*ServerWatch); isServer {
			break
		}
		if r.Handles(a) {
			return true
		}
	}
	return false
}

// errMustList is what servers say that do not know sendInitialEvents. Clients list then.
func errMustList(gvr schema.GroupVersionResource) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", field.ErrorList{
		field.Forbidden(field.NewPath("sendInitialEvents"), "a reactor answers lists or watches of "+gvr.Resource)})
}

// stream sends the events of a watch. It has a goroutine, which has ended when Close of the body returns.
func (t *Transport) stream(c *call, w watch.Interface) *http.Response {
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(c.req.Context())
	body := &streamBody{PipeReader: reader, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(body.done)
		defer cancel()
		defer w.Stop()
		_ = writer.CloseWithError(t.send(ctx, c, w, writer))
	}()
	resp := response(c.req, http.StatusOK, "application/json", nil)
	resp.Body, resp.ContentLength = body, -1
	return resp
}

// send returns nil when there are no more events.
func (t *Transport) send(ctx context.Context, c *call, w watch.Interface, to io.Writer) error {
	for {
		select {
		case e, ok := <-w.ResultChan():
			if !ok {
				return nil
			}
			frame, err := t.frame(c, e)
			if err != nil {
				return err
			}
			if _, err := to.Write(frame); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *Transport) frame(c *call, e watch.Event) ([]byte, error) {
	obj, err := t.Codec.Name(e.Object, c.resource)
	if err != nil {
		return nil, err
	}
	data, err := marshal(obj)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", e.Type, data), nil
}

type streamBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

// Read finds the end after Close, and no error: a caller that has stopped a watch expects no error from it.
func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if err == io.ErrClosedPipe {
		err = io.EOF
	}
	return n, err
}

// Close ends the watch and waits for it.
func (b *streamBody) Close() error {
	b.cancel()
	err := b.PipeReader.Close()
	<-b.done
	return err
}
