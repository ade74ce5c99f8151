package conformance

import (
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// future is a version that no server will reach in a test.
const future = "1000000000000"

// tooLarge is the answer to it. Clients look at the cause, to know that waiting helps.
var tooLarge = refusal{code: http.StatusGatewayTimeout, reason: metav1.StatusReasonTimeout,
	message: "Too large resource version", causes: []cause{{metav1.CauseTypeResourceVersionTooLarge, ""}}}

var readingVersions = []behaviour{
	{"a list without a version has what was just written", func(e *env) {
		for i := range 10 {
			e.create(configMap(fmt.Sprint("c", i)))
			if l := e.list(metav1.ListOptions{}); len(l.Items) != i+1 {
				e.Fatalf("%d items after %d were created", len(l.Items), i+1)
			}
		}
	}},
	{"an object or a list of version 0 is any version", func(e *env) {
		c := e.create(configMap("a"))
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{ResourceVersion: c.ResourceVersion}) // the cache has it now
		e.must(err)
		got, err := e.configMaps().Get(e.ctx, "a", metav1.GetOptions{ResourceVersion: "0"})
		e.must(err)
		if l := e.list(metav1.ListOptions{ResourceVersion: "0"}); got.UID != c.UID || e.version(l.ResourceVersion) == 0 {
			e.Errorf("%+v, %+v", got.ObjectMeta, l.ListMeta)
		}
	}},
	{"a version is the least that an object or a list may have", func(e *env) {
		old := e.create(configMap("a"))
		fresh := old.DeepCopy()
		fresh.Data = map[string]string{"k": "v"}
		fresh = e.update(fresh)
		got, err := e.configMaps().Get(e.ctx, "a", metav1.GetOptions{ResourceVersion: fresh.ResourceVersion})
		e.must(err)
		if got.Data["k"] != "v" {
			e.Errorf("%+v", got)
		}
		for _, match := range []metav1.ResourceVersionMatch{"", metav1.ResourceVersionMatchNotOlderThan} {
			l := e.list(metav1.ListOptions{ResourceVersion: fresh.ResourceVersion, ResourceVersionMatch: match})
			if len(l.Items) != 1 || l.Items[0].Data["k"] != "v" || e.version(l.ResourceVersion) < e.version(fresh.ResourceVersion) {
				e.Errorf("match %q: %+v", match, l)
			}
		}
	}},
	{"a list of an exact version is as it was then", func(e *env) {
		e.create(configMap("a"))
		b := e.create(configMap("b", "k", "old"))
		e.delete("a")
		later := b.DeepCopy()
		later.Data["k"] = "new"
		e.update(later)
		e.create(configMap("c"))
		l := e.list(metav1.ListOptions{ResourceVersion: b.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		e.equal("names", namesOf(l), []string{"a", "b"})
		if l.ResourceVersion != b.ResourceVersion || l.Items[1].Data["k"] != "old" {
			e.Errorf("version %s, %+v", l.ResourceVersion, l.Items)
		}
	}},
	{"an object or a list of the future is too large a version", func(e *env) {
		e.create(configMap("a"))
		paths := []string{"/a?resourceVersion=", "?resourceVersion=", "?resourceVersionMatch=Exact&resourceVersion="}
		// At once, since a server waits for seconds before it says so.
		for _, err := range together(len(paths), func(i int) error { return e.ask("GET", e.configMapsPath()+paths[i]+future, "").err }) {
			e.refused(err, tooLarge)
		}
	}},
	{"a version that is not a number is rejected", func(e *env) {
		e.create(configMap("a"))
		e.refused(e.ask("GET", e.configMapsPath()+"?resourceVersion=abc", "").err, badRequest("invalid resource version"))
		// The status is that of an accident; so it is on the real server.
		e.refused(e.ask("GET", e.configMapsPath()+"/a?resourceVersion=abc", "").err,
			refusal{code: http.StatusInternalServerError, message: `resourceVersion: Invalid value: "abc"`})
	}},
	{"options of a list that contradict each other are refused", func(e *env) {
		for query, want := range map[string]cause{
			"resourceVersionMatch=Exact":                     {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"resourceVersion=0&resourceVersionMatch=Exact":   {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"resourceVersion=5&resourceVersionMatch=Odd":     {metav1.CauseTypeFieldValueNotSupported, "resourceVersionMatch"},
			"continue=abc&resourceVersionMatch=NotOlderThan": {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"sendInitialEvents=true":                         {metav1.CauseTypeForbidden, "sendInitialEvents"},
		} {
			e.refused(e.ask("GET", e.configMapsPath()+"?"+query, "").err, invalidOption("ListOptions", want))
		}
	}},
	{"parameters that are not numbers are refused", func(e *env) {
		for _, query := range []string{"limit=x", "timeoutSeconds=x"} {
			e.refused(e.ask("GET", e.configMapsPath()+"?"+query, "").err, badRequest(`parsing "x": invalid syntax`))
		}
	}},
}
