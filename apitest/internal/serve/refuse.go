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

// What a fault answers with is here, where the server's own words are.

// WriteError answers with the Status of an error, in a form that the client accepts.
func WriteError(w http.ResponseWriter, r *Request, err error) { writeError(w, r.Request, err) }

func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// WriteMissing answers as if what is asked for were not there: the object if the request names one, and otherwise the
// resource.
func (s *Server) WriteMissing(w http.ResponseWriter, r *Request) {
	named := r.Verb != "list" && r.Verb != "watch" && r.Name != ""
	switch {
	case !r.IsResource:
		pageNotFound(w)
	case named:
		writeError(w, r.Request, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name))
	case r.Kind != nil && r.Kind.Custom: // its definition was deleted, and nothing else of the group is there
		pageNotFound(w)
	default:
		s.missing(w, r)
	}
}

// Conflict is for a write that came too late: somebody else has changed the object, or created it.
func Conflict(r *Request) error {
	if r.Verb == "create" && r.Subresource == "" {
		return apierrors.NewAlreadyExists(r.Resource.GroupResource(), nameInBody(r))
	}
	return apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errors.New(modified))
}

// nameInBody reads the name of an object that is to be created. The body can be read again.
func nameInBody(r *Request) string {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	if err != nil {
		return ""
	}
	// Every kind has its metadata in the same place.
	var object metav1.PartialObjectMetadata
	if message, ok := bytes.CutPrefix(body, []byte("k8s\x00")); ok {
		var envelope runtime.Unknown
		if envelope.Unmarshal(message) == nil {
			var metadata metav1.PartialObjectMetadata
			_ = metadata.Unmarshal(envelope.Raw) // what it has read until it knew no further is enough
			object = metadata
		}
	} else {
		_ = json.Unmarshal(body, &object)
	}
	return object.Name
}

// Expired is for a version that is forgotten.
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

// ExpiredEvent is what a watch of a forgotten version hears.
func (s *Server) ExpiredEvent(r *Request) error {
	var oldest uint64
	if r.Kind != nil {
		oldest = s.store.Oldest(s.callOf(r).resource)
	}
	after, _ := parseVersion(r.URL.Query().Get("resourceVersion"))
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", after, max(oldest, after+1)))
}

// NotReached is what a watch hears that is to begin with the newest state, and whose cache has not come that far.
func (s *Server) NotReached() error {
	current := s.store.Version()
	return tooLargeVersion(current, current-1)
}

// NoInitialEvents is the answer of a server without the feature WatchList to a watch that asks for initial events, and nil for
// other requests.
func NoInitialEvents(r *Request) error {
	opts := &metainternal.ListOptions{}
	if r.Verb != "watch" || decodeQuery(r.Request, opts) != nil || opts.SendInitialEvents == nil {
		return nil
	}
	const watchList = false
	return invalidOptions("ListOptions", metainternalvalidation.ValidateListOptions(opts, watchList))
}
