package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Responses of faults are here, next to those of the server.

// WriteError writes the Status of an error, in a form that the client accepts.
func WriteError(w http.ResponseWriter, r *Request, err error) { writeError(w, r.Request, err) }

func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// WriteMissing answers as if the requested object did not exist or, if the request has no name, the resource.
func (s *Server) WriteMissing(w http.ResponseWriter, r *Request) {
	named := r.Verb != "list" && r.Verb != "watch" && r.Name != ""
	switch {
	case !r.IsResource:
		pageNotFound(w)
	case named:
		writeError(w, r.Request, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name))
	case r.Kind != nil && r.Kind.Custom: // as if its definition was deleted, and the group is empty
		pageNotFound(w)
	default:
		s.missing(w, r)
	}
}

// Conflict is for a write that lost a race: the object was changed, or created, by another client.
func Conflict(r *Request) error {
	if r.Verb == "create" && r.Subresource == "" {
		return apierrors.NewAlreadyExists(r.Resource.GroupResource(), nameInBody(r))
	}
	return apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errors.New(modified))
}

// nameInBody returns the name of an object in the body of a create. The body can be read again.
func nameInBody(r *Request) string {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	if err != nil {
		return ""
	}
	// Every kind has its metadata in the same field.
	var object metav1.PartialObjectMetadata
	if message, ok := bytes.CutPrefix(body, []byte("k8s\x00")); ok {
		var envelope runtime.Unknown
		if envelope.Unmarshal(message) == nil {
			var metadata metav1.PartialObjectMetadata
			_ = metadata.Unmarshal(envelope.Raw) // what was decoded before an error is enough
			object = metadata
		}
	} else {
		_ = json.Unmarshal(body, &object)
	}
	return object.Name
}

// Expired is for a compacted version.
func Expired(r *Request) error {
	if r.Verb == "watch" {
		return apierrors.NewResourceExpired(expiredWatch)
	}
	token := r.URL.Query().Get("continue")
	start, _, err := decodeToken(token, r.Namespace)
	if err != nil {
		token = ""
	}
	return expiredList(token, start, r.Namespace)
}

const expiredWatch = "The resourceVersion for the provided watch is too old."

// ExpiredEvent is the error event of a watch of a compacted version.
func (s *Server) ExpiredEvent(r *Request) error {
	var oldest uint64
	if r.Kind != nil {
		oldest = s.store.Oldest(s.callOf(r).resource)
	}
	after, _ := parseVersion(r.URL.Query().Get("resourceVersion"))
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", after, max(oldest, after+1)))
}

// NotReached is the error of a watch that starts with the newest state, if the watch cache has not reached it.
func (s *Server) NotReached() error {
	current := s.store.Version()
	return tooLargeVersion(current, current-1)
}

// NoInitialEvents returns the error of a server without the feature WatchList for a watch with initial events, and nil
// for other requests.
func NoInitialEvents(r *Request) error {
	opts := &metainternal.ListOptions{}
	if r.Verb != "watch" || decodeQuery(r.Request, opts) != nil || opts.SendInitialEvents == nil {
		return nil
	}
	const watchList = false
	return invalidOptions("ListOptions", metainternalvalidation.ValidateListOptions(opts, watchList))
}
