package serve

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
)

// get returns one object. If a version is given, it must have been reached.
func (s *Server) get(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	if err := s.reached(r.URL.Query().Get("resourceVersion")); err != nil {
		return err
	}
	item, err := c.item()
	if err != nil {
		return err
	}
	obj, err := c.show(item.Object)
	if err != nil {
		return err
	}
	return c.answer(w, r, http.StatusOK, obj, out)
}

// reached checks the resourceVersion of a get.
func (s *Server) reached(version string) error {
	if s.config.Unversioned { // it is the version of an object
		return nil
	}
	wanted, err := parseVersion(version)
	if err != nil {
		return errors.New(err.Error()) // not a Status: the real server answers with 500
	}
	if current := s.store.Version(); wanted > current {
		return tooLargeVersion(wanted, current)
	}
	return nil
}

func (s *Server) negotiate(r *Request) (output, error) {
	out, ok := negotiate(r.Request, r.Kind.Custom)
	if !ok {
		return output{}, notAcceptable(mediaFor(r.Request, r.Kind.Custom))
	}
	return out, nil
}

// writeResult writes one object, of the given kind or with its own kind set, in the negotiated form.
func (s *Server) writeResult(w http.ResponseWriter, r *Request, kind *kinds.Kind, code int, obj runtime.Object, out output) error {
	if status, ok := obj.(*metav1.Status); ok {
		status.Kind, status.APIVersion = "Status", "v1"
		writeObject(w, r.Request, code, status, output{media: out.media, pretty: out.pretty})
		return nil
	}
	v := &view{registry: s.config.Registry, kind: kind, stored: kind, output: out}
	switch out.as {
	case "PartialObjectMetadataList":
		return notThatList(internalPackage(kind) + "." + kind.Kind)
	case "Table":
		include, err := tableOptions(r.Request)
		if err != nil {
			return err
		}
		list := metav1.ListMeta{ResourceVersion: metaOf(obj).GetResourceVersion()}
		table, err := v.table([]runtime.Object{obj}, list, include)
		if err != nil {
			return err
		}
		writeObject(w, r.Request, code, table, out)
		return nil
	}
	whole, err := v.whole(obj)
	if err != nil {
		return err
	}
	writeObject(w, r.Request, code, whole, out)
	return nil
}

func notThatList(kind string) error {
	return notAcceptableBecause(fmt.Sprintf("you requested PartialObjectMetadataList, but the requested object is not a list (*%s)", kind))
}

func notAcceptableBecause(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusNotAcceptable,
		Reason:  metav1.StatusReasonNotAcceptable,
		Message: message,
	}}
}
