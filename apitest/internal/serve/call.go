package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

// maxBody is the largest body that is read, as with kube-apiserver.
const maxBody = 3 * 1024 * 1024

// call is an operation on objects of one kind, whether or not it came by HTTP.
type call struct {
	s         *Server
	kind      *kinds.Kind // as the client sees objects
	stored    *kinds.Kind // as they are stored
	resource  storage.Resource
	namespace string
	name      string
	sub       string
	manager   string
	dryRun    bool
	user      User
	warnings  []string
	// prepared means that the server itself created the object, so that it is not reset.
	prepared bool
	// tracked means that the managed fields are up to date.
	tracked bool
}

func (s *Server) newCall(kind *kinds.Kind, namespace, name, sub string) *call {
	stored := s.config.Registry.Storage(kind)
	if stored == nil {
		stored = kind
	}
	return &call{s: s, kind: kind, stored: stored, resource: stored.Resource().GroupResource(),
		namespace: namespace, name: name, sub: sub}
}

func (s *Server) callOf(r *Request) *call {
	namespace := r.Namespace
	if !r.Kind.Namespaced && !s.config.Lenient || !r.namespaced {
		namespace = ""
	}
	c := s.newCall(r.Kind, namespace, r.Name, r.Subresource)
	c.user = r.User
	return c
}

// groupResource returns the resource for messages.
func (c *call) groupResource() schema.GroupResource { return c.kind.Resource().GroupResource() }

func (c *call) key() string { return storage.Key(c.namespace, c.name) }

// item returns the newest state of the object of the call.
func (c *call) item() (*storage.Item, error) {
	item := c.s.store.Get(c.resource, c.key())
	if item == nil {
		return nil, apierrors.NewNotFound(c.groupResource(), c.name)
	}
	return item, nil
}

// show converts a stored object to the version of the call. It must not be modified.
func (c *call) show(obj runtime.Object) (runtime.Object, error) {
	if c.kind == c.stored {
		return obj, nil
	}
	return c.s.config.Registry.Convert(obj, c.kind)
}

// keep converts an object of the call to the stored version.
func (c *call) keep(obj runtime.Object) (runtime.Object, error) {
	if c.kind != c.stored {
		var err error
		if obj, err = c.s.config.Registry.Convert(obj, c.stored); err != nil {
			return nil, err
		}
	}
	if message, ok := obj.(protoMessage); ok && message.Size() > maxStored {
		return nil, errors.New("etcdserver: request is too large")
	}
	return withoutKind(obj), nil
}

// maxStored is the maximum size of an object in etcd.
const maxStored = 3 * 1024 * 1024 / 2

func (c *call) warn(warnings ...string) { c.warnings = append(c.warnings, warnings...) }

// warned adds the warnings about an object that was written.
func (c *call) warned(obj runtime.Object, err error) (runtime.Object, error) {
	if err == nil {
		c.warn(c.kind.Warnings(obj)...)
	}
	return obj, err
}

// writeWarnings writes the warnings to the header of the response.
func (c *call) writeWarnings(w http.ResponseWriter) {
	for _, warning := range c.warnings {
		w.Header().Add("Warning", fmt.Sprintf("299 - %q", warning))
	}
}

// answer writes an object in the form that the client accepts.
func (c *call) answer(w http.ResponseWriter, r *Request, code int, obj runtime.Object, out output) error {
	c.writeWarnings(w)
	return c.s.writeResult(w, r, c.kind, code, obj, out)
}

// readBody reads a body up to maxBody.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if len(body) > maxBody {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
	}
	return body, nil
}

// managerOf returns the field manager: the given one, or the user agent up to the first slash.
func managerOf(given, userAgent string) string {
	if given != "" {
		return given
	}
	const longest = 128
	name, _, _ := strings.Cut(userAgent, "/")
	var manager strings.Builder
	for _, char := range name {
		if manager.Len()+len(string(char)) > longest || !unicode.IsPrint(char) {
			break
		}
		manager.WriteRune(char)
	}
	return manager.String()
}

// newUID returns a random UUID of version 4.
func newUID() types.UID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

func isChanged(err error) bool { return errors.Is(err, storage.ErrChanged) }

func isExists(err error) bool { return errors.Is(err, storage.ErrExists) }
