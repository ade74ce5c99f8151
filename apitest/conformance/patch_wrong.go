package conformance

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// tryPatch patches config map a, and returns the error.
func (e *env) tryPatch(kind types.PatchType, patch string) error {
	e.Helper()
	_, err := e.configMaps().Patch(e.ctx, "a", kind, []byte(patch), metav1.PatchOptions{})
	return err
}

// notApplicable is the answer to a JSON patch that does not fit the object. It does not say why.
var notApplicable = refusal{code: http.StatusUnprocessableEntity, reason: metav1.StatusReasonInvalid}

var patchingWrong = []behaviour{
	{"a JSON patch whose test fails changes nothing", func(e *env) {
		e.create(configMap("a", "k", "1"))
		e.refused(e.tryPatch(types.JSONPatchType, `[{"op":"replace","path":"/data/k","value":"2"},{"op":"test","path":"/data/k","value":"1"}]`), notApplicable)
		e.data(e.read("a"), map[string]string{"k": "1"})
	}},
	{"a JSON patch that does not apply is invalid", func(e *env) {
		e.create(configMap("a", "k", "1"))
		for _, patch := range []string{
			`[{"op":"remove","path":"/data/none"}]`,
			`[{"op":"add","path":"/none/deep","value":1}]`,
			`[{"op":"odd","path":"/data/k"}]`,
			`[{"op":"move","from":"/data/none","path":"/data/l"}]`,
		} {
			e.refused(e.tryPatch(types.JSONPatchType, patch), notApplicable)
		}
	}},
	{"a patch that cannot be read is a bad request", func(e *env) {
		e.create(configMap("a"))
		for kind, patches := range map[types.PatchType][]string{
			types.JSONPatchType:           {`garbage`, `{"op":"add"}`, `[1]`, `[{"op":"add"`},
			types.MergePatchType:          {`garbage`, `[1,2]`, `{"data":`, `"x"`},
			types.StrategicMergePatchType: {`garbage`, `[1,2]`, `{"data":`},
		} {
			for _, patch := range patches {
				if e.refused(e.tryPatch(kind, patch), badRequest("")); e.Failed() {
					e.Fatalf("%s %s", kind, patch)
				}
			}
		}
	}},
	{"a value of the wrong type is invalid", func(e *env) {
		e.create(configMap("a"))
		for kind, patch := range map[types.PatchType]string{
			types.MergePatchType: `{"data":{"k":{"x":1}}}`, types.StrategicMergePatchType: `{"data":{"k":1}}`,
			types.JSONPatchType: `[{"op":"add","path":"/data","value":"x"}]`,
		} {
			err := e.tryPatch(kind, patch)
			e.refused(err, refusal{code: http.StatusUnprocessableEntity, reason: metav1.StatusReasonInvalid,
				causes: []cause{{metav1.CauseTypeFieldValueInvalid, "patch"}}})
		}
	}},
	{"a content type that is not a patch is not supported", func(e *env) {
		e.create(configMap("a"))
		for _, contentType := range []string{"application/json", "text/plain", "application/vnd.kubernetes.protobuf"} {
			a := e.ask("PATCH", e.configMapsPath()+"/a", `{"data":{"k":"v"}}`, "Content-Type", contentType)
			e.refused(a.err, refusal{code: http.StatusUnsupportedMediaType, reason: metav1.StatusReasonUnsupportedMediaType})
		}
	}},
	{"another name or namespace is refused", func(e *env) {
		e.create(configMap("a"))
		e.refused(e.tryPatch(types.MergePatchType, `{"metadata":{"name":"b"}}`), badRequest("the name of the object (b) does not match the name on the URL (a)"))
		e.refused(e.tryPatch(types.MergePatchType, `{"metadata":{"namespace":"b"}}`), badRequest("the namespace of the provided object does not match"))
	}},
	{"another UID is invalid", func(e *env) {
		e.create(configMap("a"))
		e.refused(e.tryPatch(types.MergePatchType, `{"metadata":{"uid":"x"}}`),
			invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.uid"}))
	}},
	{"what is not there is not found", func(e *env) {
		for kind, patch := range map[types.PatchType]string{
			types.MergePatchType: `{"data":{"k":"v"}}`, types.StrategicMergePatchType: `{"data":{"k":"v"}}`, types.JSONPatchType: `[]`,
		} {
			e.refused(e.tryPatch(kind, patch), notFound("configmaps", "a"))
		}
	}},
	{"an outcome that breaks a rule is invalid", func(e *env) {
		e.createDeployment(deployment("a"))
		_, err := e.deployments().Patch(e.ctx, "a", types.MergePatchType, []byte(`{"spec":{"replicas":-1}}`), metav1.PatchOptions{})
		want := invalid("Deployment", "a", cause{metav1.CauseTypeFieldValueInvalid, "spec.replicas"})
		want.group, want.message = "apps", "must be greater than or equal to 0"
		e.refused(err, want)
	}},
	{"strict validation refuses unknown fields", func(e *env) {
		e.create(configMap("a"))
		for _, kind := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
			_, err := e.configMaps().Patch(e.ctx, "a", kind, []byte(`{"dat":1}`), metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
			e.refused(err, refusal{code: http.StatusUnprocessableEntity, reason: metav1.StatusReasonInvalid,
				message: `strict decoding error: unknown field "dat"`})
		}
	}},
	{"force is for apply alone", func(e *env) {
		e.create(configMap("a"))
		a := e.ask("PATCH", e.configMapsPath()+"/a?force=true", `{}`, "Content-Type", string(types.MergePatchType))
		e.refused(a.err, invalidOption("PatchOptions", cause{metav1.CauseTypeForbidden, "force"}))
	}},
}
