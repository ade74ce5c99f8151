package conformance

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var deleting = []behaviour{
	{"the answer is a status that names what is gone", func(e *env) {
		c := e.create(configMap("a"))
		a := e.ask("DELETE", e.configMapsPath()+"/a", "")
		e.must(a.err)
		got := e.object(a)
		if a.code != 200 || got["kind"] != "Status" || got["status"] != "Success" ||
			at(got, "details", "name") != "a" || at(got, "details", "kind") != "configmaps" || at(got, "details", "uid") != string(c.UID) {
			e.Errorf("%d, %v", a.code, got)
		}
		e.gone("a")
	}},
	{"what is not there is not found", func(e *env) {
		e.create(configMap("a"))
		e.delete("a")
		e.refused(e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{}), notFound("configmaps", "a"))
	}},
	{"a name is free again, with another UID", func(e *env) {
		old := e.create(configMap("a"))
		e.delete("a")
		if c := e.create(configMap("a")); c.UID == old.UID || e.version(c.ResourceVersion) <= e.version(old.ResourceVersion) {
			e.Errorf("%+v", c.ObjectMeta)
		}
	}},
	{"another UID than that of the precondition is a conflict", func(e *env) {
		c, wrong := e.create(configMap("a")), types.UID("wrong")
		err := e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
		e.refused(err, conflict("ConfigMap", "a", "the UID in the precondition (wrong) does not match the UID in record"))
		e.must(e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &c.UID}}))
		e.gone("a")
	}},
	{"another version than that of the precondition is a conflict", func(e *env) {
		c, wrong := e.create(configMap("a")), "1"
		err := e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &wrong}})
		e.refused(err, conflict("ConfigMap", "a", "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record"))
		e.must(e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &c.ResourceVersion}}))
		e.gone("a")
	}},
	{"a dry run deletes nothing", func(e *env) {
		e.create(configMap("a"))
		e.must(e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}, metav1.ListOptions{}))
		e.read("a")
	}},
	{"options may be in the query", func(e *env) {
		e.create(configMap("a"))
		e.must(e.ask("DELETE", e.configMapsPath()+"/a?propagationPolicy=Background&gracePeriodSeconds=0", "").err)
		e.gone("a")
	}},
	{"options that make no sense are refused", func(e *env) {
		e.create(configMap("a"))
		for body, want := range map[string]cause{
			`{"propagationPolicy":"Odd"}`:                                {metav1.CauseTypeFieldValueNotSupported, "propagationPolicy"},
			`{"propagationPolicy":"Orphan","orphanDependents":true}`:     {metav1.CauseTypeFieldValueInvalid, "propagationPolicy"},
			`{"dryRun":["Some"]}`:                                        {metav1.CauseTypeFieldValueNotSupported, "dryRun"},
			`{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["No"]}`: {metav1.CauseTypeFieldValueNotSupported, "dryRun"},
		} {
			e.refused(e.ask("DELETE", e.configMapsPath()+"/a", body).err, invalidOption("DeleteOptions", want))
		}
		e.refused(e.ask("DELETE", e.configMapsPath()+"/a", "garbage").err, badRequest(""))
		e.refused(e.ask("DELETE", e.configMapsPath()+"/a", `{"kind":"Pod","apiVersion":"v1"}`).err, badRequest(""))
		e.read("a")
	}},
	{"of a collection takes what is selected", func(e *env) {
		e.fill(5)
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd=true"}))
		e.equal("left", namesOf(e.list(metav1.ListOptions{})), []string{"c0", "c2", "c4"})
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=c2"}))
		e.equal("left", namesOf(e.list(metav1.ListOptions{})), []string{"c0", "c4"})
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		e.equal("left", namesOf(e.list(metav1.ListOptions{})), []string{})
	}},
	{"of a collection answers with the list of what it took", func(e *env) {
		e.fill(2)
		a := e.ask("DELETE", e.configMapsPath(), "")
		e.must(a.err)
		got := e.object(a)
		if items, _ := got["items"].([]any); got["kind"] != "ConfigMapList" || len(items) != 2 {
			e.Errorf("%v", got)
		}
	}},
	{"of a collection with a selector that is none takes nothing", func(e *env) {
		e.fill(2)
		e.refused(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a==b==c"}), badRequest(""))
		e.equal("left", namesOf(e.list(metav1.ListOptions{})), []string{"c0", "c1"})
	}},
	{"of a collection of namespaces is not allowed", func(e *env) {
		a := e.ask("DELETE", "/api/v1/namespaces", "")
		e.refused(a.err, refusal{code: http.StatusMethodNotAllowed, reason: metav1.StatusReasonMethodNotAllowed})
	}},
}
