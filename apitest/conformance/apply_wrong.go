package conformance

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var applyingWrong = []behaviour{
	{"a field of another manager is a conflict, with a cause for each", func(e *env) {
		e.apply("one", configMap("a", "k", "1", "l", "1"))
		_, err := e.tryApply("two", false, configMap("a", "k", "2", "l", "2"))
		e.refused(err, refusal{code: http.StatusConflict, reason: metav1.StatusReasonConflict,
			message: "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\n- .data.l",
			causes:  []cause{{metav1.CauseTypeFieldManagerConflict, ".data.k"}, {metav1.CauseTypeFieldManagerConflict, ".data.l"}}})
		e.data(e.read("a"), map[string]string{"k": "1", "l": "1"})
	}},
	{"a field that was updated is a conflict too", func(e *env) {
		c := e.apply("one", configMap("a", "k", "1"))
		c.Data["k"] = "2"
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{FieldManager: "two"})
		e.must(err)
		_, err = e.tryApply("one", false, configMap("a", "k", "1"))
		e.refused(err, refusal{code: http.StatusConflict, reason: metav1.StatusReasonConflict,
			message: `Apply failed with 1 conflict: conflict with "two" using v1: .data.k`,
			causes:  []cause{{metav1.CauseTypeFieldManagerConflict, ".data.k"}}})
	}},
	{"a manager is needed", func(e *env) {
		a := e.applyText("", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
		want := invalidOption("PatchOptions", cause{metav1.CauseTypeFieldValueRequired, "fieldManager"})
		e.refused(a.err, want)
	}},
	{"managed fields in the body are refused", func(e *env) {
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[{"manager":"x"}]}}`)
		e.refused(a.err, badRequest("metadata.managedFields must be nil"))
	}},
	{"an old version is refused with a conflict", func(e *env) {
		old := e.apply("one", configMap("a", "k", "1"))
		e.apply("one", configMap("a", "k", "2"))
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"`+old.ResourceVersion+`"},"data":{"k":"3"}}`)
		e.refused(a.err, conflict("configmaps", "a", modified))
	}},
	{"a UID does not create", func(e *env) {
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"x"}}`)
		e.refused(a.err, conflict("configmaps", "a", "uid mismatch: the provided object specified uid x, and no existing object was found"))
	}},
	{"another or no kind is refused", func(e *env) {
		for body, message := range map[string]string{
			`{"metadata":{"name":"a"}}`:                                      "invalid object type: /, Kind=",
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`:    "invalid object type: /v1, Kind=Secret",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`: "the name of the object (b) does not match the name on the URL (a)",
			`{"apiVersion":"v1","kind":"ConfigMap"}`:                         "name must be provided",
		} {
			e.refused(e.applyText("fieldManager=one", body).err, badRequest(message))
		}
	}},
	{"a body that is not YAML is a bad request", func(e *env) {
		e.refused(e.applyText("fieldManager=one", ": : garbage").err, badRequest("error decoding YAML"))
	}},
	{"a field that the kind does not have is refused", func(e *env) {
		// Nothing is dropped here as it is in a creation. The status is that of an accident; so it is on the real server.
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dat":{"k":"v"}}`)
		e.refused(a.err, refusal{code: http.StatusInternalServerError, message: ".dat: field not declared in schema"})
		e.gone("a")
	}},
	{"an object that breaks a rule is invalid", func(e *env) {
		_, err := e.tryApply("one", false, configMap("a", "no spaces", "v"))
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "data[no spaces]"}))
	}},
	{"a namespace that is not there is not found", func(e *env) {
		a := e.ask("PATCH", "/api/v1/namespaces/conformance-none/configmaps/a?fieldManager=one",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`, "Content-Type", "application/apply-patch+yaml")
		e.refused(a.err, notFound("namespaces", "conformance-none"))
	}},
}
