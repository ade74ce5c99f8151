package serve

import (
	"mime"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/patch"
)

// patch handles a PATCH of an object or its status.
func (s *Server) patch(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	request, err := s.patchRequest(r, c)
	if err != nil {
		return err
	}
	c.tracked = true
	result, created, err := c.change(changeFunc{
		apply: func(live runtime.Object) (runtime.Object, error) {
			patched, warnings, err := s.config.Patcher.Patch(live, request)
			c.warnings = warnings // those of failed attempts are dropped
			return patched, err
		},
		create: request.Type == types.ApplyYAMLPatchType && r.Subresource == "",
	})
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.answer(w, r, code, result, out)
}

// patchRequest decodes the patch.
func (s *Server) patchRequest(r *Request, c *call) (patch.Request, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = r.Header.Get("Content-Type")
	}
	patchType := types.PatchType(media)
	binary := isCBOR(r.Request, string(types.ApplyCBORPatchType))
	if binary {
		patchType = types.ApplyYAMLPatchType
	}
	if err := patch.CheckType(r.Kind, patchType); err != nil {
		return patch.Request{}, err
	}
	body, err := readBody(r.Request)
	if err != nil {
		return patch.Request{}, err
	}
	if binary {
		if body, err = cborToJSON(body); err != nil {
			return patch.Request{}, apierrors.NewBadRequest("error decoding YAML: " + err.Error()) // so says the real server
		}
	}
	opts := &metav1.PatchOptions{}
	if err := decodeQuery(r.Request, opts); err != nil {
		return patch.Request{}, err
	}
	if err := invalidOptions("PatchOptions", metav1validation.ValidatePatchOptions(opts, patchType)); err != nil {
		return patch.Request{}, err
	}
	c.dryRun, c.manager = len(opts.DryRun) > 0, managerOf(opts.FieldManager, r.UserAgent())
	return patch.Request{
		Kind: r.Kind, Namespace: c.namespace, Name: c.name, Subresource: r.Subresource, Type: patchType, Body: body,
		Manager: c.manager, Force: opts.Force != nil && *opts.Force, FieldValidation: opts.FieldValidation,
		Untracked: s.config.Lenient,
	}, nil
}
