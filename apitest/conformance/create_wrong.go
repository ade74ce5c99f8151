package conformance

import (
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var creatingWrong = []behaviour{
	{"neither name nor generateName is invalid", func(e *env) {
		_, err := e.configMaps().Create(e.ctx, configMap(""), metav1.CreateOptions{})
		want := invalid("ConfigMap", "", cause{metav1.CauseTypeFieldValueRequired, "metadata.name"})
		want.message = "name or generateName is required"
		e.refused(err, want)
	}},
	{"the second of one name exists already", func(e *env) {
		e.create(configMap("a"))
		_, err := e.configMaps().Create(e.ctx, configMap("a"), metav1.CreateOptions{})
		e.refused(err, refusal{code: http.StatusConflict, reason: metav1.StatusReasonAlreadyExists,
			kind: "configmaps", name: "a", message: `configmaps "a" already exists`})
	}},
	{"a resource version in the body is refused", func(e *env) {
		c := configMap("a")
		c.ResourceVersion = "5"
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		e.refused(err, refusal{code: http.StatusInternalServerError, message: "resourceVersion should not be set on objects to be created"})
	}},
	{"another namespace than that of the path is refused", func(e *env) {
		c := configMap("a")
		c.Namespace = "default"
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		e.refused(err, badRequest("the namespace of the provided object does not match the namespace sent on the request"))
	}},
	{"a namespace that is not there is not found", func(e *env) {
		_, err := e.kube.CoreV1().ConfigMaps("conformance-none").Create(e.ctx, configMap("a"), metav1.CreateOptions{})
		e.refused(err, notFound("namespaces", "conformance-none"))
	}},
	{"a name that is not a subdomain is invalid", func(e *env) {
		for _, name := range []string{"Upper", "under_score", "a/b", "-a", "a-", ".a", "a..b", "ä", "a b", strings.Repeat("x", 254)} {
			_, err := e.configMaps().Create(e.ctx, configMap(name), metav1.CreateOptions{})
			e.refused(err, invalid("ConfigMap", name, cause{metav1.CauseTypeFieldValueInvalid, "metadata.name"}))
		}
		for _, name := range []string{"0", "a.b", strings.Repeat("x", 253)} {
			e.create(configMap(name))
		}
	}},
	{"the name of a namespace is a label", func(e *env) {
		for _, name := range []string{"a.b", strings.Repeat("x", 64)} {
			_, err := e.kube.CoreV1().Namespaces().Create(e.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			e.refused(err, invalid("Namespace", name, cause{metav1.CauseTypeFieldValueInvalid, "metadata.name"}))
		}
	}},
	{"labels that are none are invalid", func(e *env) {
		for key, value := range map[string]string{"a b": "", "a": "b c", "": "x", "a/b/c": "", "k": strings.Repeat("x", 64)} {
			c := configMap("a")
			c.Labels = map[string]string{key: value}
			_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
			e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.labels"}))
		}
	}},
	{"annotations of more than 256 KiB are too long", func(e *env) {
		c := configMap("a")
		c.Annotations = map[string]string{"k": strings.Repeat("x", 256<<10)}
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeTooLong, "metadata.annotations"}))
	}},
	{"each invalid field is a cause", func(e *env) {
		p := pod("a")
		p.Spec.Containers[0] = corev1.Container{Name: "X_y"}
		_, err := e.pods().Create(e.ctx, p, metav1.CreateOptions{})
		e.refused(err, invalid("Pod", "a", cause{metav1.CauseTypeFieldValueInvalid, "spec.containers[0].name"},
			cause{metav1.CauseTypeFieldValueRequired, "spec.containers[0].image"}))
	}},
	{"strict validation refuses unknown and duplicate fields", func(e *env) {
		a := e.ask("POST", e.configMapsPath()+"?fieldValidation=Strict", `{"metadata":{"name":"a"},"dat":1}`)
		e.refused(a.err, badRequest(`strict decoding error: unknown field "dat"`))
		a = e.ask("POST", e.configMapsPath()+"?fieldValidation=Strict", `{"metadata":{"name":"a","name":"b"}}`)
		e.refused(a.err, badRequest(`strict decoding error: duplicate field "metadata.name"`))
		e.gone("a")
	}},
	{"an unknown kind of validation is refused", func(e *env) {
		a := e.ask("POST", e.configMapsPath()+"?fieldValidation=Odd", `{"metadata":{"name":"a"}}`)
		e.refused(a.err, invalidOption("CreateOptions", cause{metav1.CauseTypeFieldValueNotSupported, "fieldValidation"}))
	}},
	{"an unknown kind of dry run is refused", func(e *env) {
		a := e.ask("POST", e.configMapsPath()+"?dryRun=Some", `{"metadata":{"name":"a"}}`)
		e.refused(a.err, invalidOption("CreateOptions", cause{metav1.CauseTypeFieldValueNotSupported, "dryRun"}))
		e.gone("a")
	}},
	{"a field manager with odd characters is refused", func(e *env) {
		a := e.ask("POST", e.configMapsPath()+"?fieldManager=a%01b", `{"metadata":{"name":"a"}}`)
		e.refused(a.err, invalidOption("CreateOptions", cause{metav1.CauseTypeFieldValueInvalid, "fieldManager"}))
	}},
	{"another kind or version than that of the path is refused", func(e *env) {
		a := e.ask("POST", e.configMapsPath(), `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}`)
		e.refused(a.err, badRequest(`Secret in version "v1" cannot be handled as a ConfigMap`))
		a = e.ask("POST", e.configMapsPath(), `{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a"}}`)
		e.refused(a.err, badRequest(`ConfigMap in version "v2" cannot be handled as a ConfigMap`))
	}},
	{"an owner reference without a UID is invalid", func(e *env) {
		c := configMap("a")
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner"}}
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		want := invalid("ConfigMap", "a") // where exactly, servers of different versions say in different ways
		want.message = "metadata.ownerReferences"
		e.refused(err, want)
	}},
	{"two controllers are invalid", func(e *env) {
		c, yes := configMap("a"), true
		for _, name := range []string{"x", "y"} {
			c.OwnerReferences = append(c.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: "1", Controller: &yes})
		}
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.ownerReferences"}))
	}},
	{"a finalizer that is not a qualified name is invalid", func(e *env) {
		c := configMap("a")
		c.Finalizers = []string{"no spaces please"}
		_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.finalizers"}))
	}},
}
