package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/discovery"
)

// served is what discovery says, a line for each resource. Groups of other behaviours' custom kinds come and go.
func (e *env) served(d discovery.DiscoveryInterfaceWithContext) (lines []string) {
	e.Helper()
	_, lists, err := d.ServerGroupsAndResourcesWithContext(e.ctx)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		e.Fatal(err)
	}
	for _, list := range lists {
		if strings.Contains(list.GroupVersion, "conformance.example.com") {
			continue
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				r.SingularName = "" // only the aggregated form has a place for that of the parent
			}
			verbs := slices.Sorted(slices.Values(r.Verbs))
			lines = append(lines, fmt.Sprint(list.GroupVersion, " ", r.Name, " ", r.SingularName, " ", r.Kind, " ", r.Namespaced, " ", verbs, " ", r.ShortNames, " ", r.Categories))
		}
	}
	slices.Sort(lines)
	return lines
}

var discovering = []behaviour{
	{"the aggregated form says the same as the older one", func(e *env) {
		aggregated, legacy := e.served(e.disco), e.served(e.disco.WithLegacyWithContext(e.ctx))
		for _, line := range aggregated {
			if !slices.Contains(legacy, line) {
				e.Errorf("only in the aggregated form: %s", line)
			}
		}
		for _, line := range legacy {
			if !slices.Contains(aggregated, line) {
				e.Errorf("only in the older form: %s", line)
			}
		}
	}},
	{"everyday kinds are there, with names, scope and verbs", func(e *env) {
		lines := e.served(e.disco)
		for _, want := range []string{
			"v1 pods pod Pod true [create delete deletecollection get list patch update watch] [po] [all]",
			"v1 namespaces namespace Namespace false [create delete get list patch update watch] [ns] []",
			"v1 configmaps configmap ConfigMap true [create delete deletecollection get list patch update watch] [cm] []",
			"v1 nodes node Node false [create delete deletecollection get list patch update watch] [no] []",
			"apps/v1 deployments deployment Deployment true [create delete deletecollection get list patch update watch] [deploy] [all]",
			"batch/v1 jobs job Job true [create delete deletecollection get list patch update watch] [] [all]",
			"coordination.k8s.io/v1 leases lease Lease true [create delete deletecollection get list patch update watch] [] []",
			"apiextensions.k8s.io/v1 customresourcedefinitions customresourcedefinition CustomResourceDefinition false [create delete deletecollection get list patch update watch] [crd crds] [api-extensions]",
		} {
			if !slices.Contains(lines, want) {
				e.Errorf("missing: %s", want)
			}
		}
	}},
	{"subresources are there", func(e *env) {
		var names []string
		for _, line := range e.served(e.disco) {
			words := strings.Fields(line)
			names = append(names, words[0]+" "+words[1])
		}
		for _, want := range []string{"v1 pods/status", "v1 pods/eviction", "v1 pods/binding", "v1 pods/ephemeralcontainers", "apps/v1 deployments/scale", "apps/v1 deployments/status", "v1 serviceaccounts/token", "v1 namespaces/finalize"} {
			if !slices.Contains(names, want) {
				e.Errorf("missing: %s", want)
			}
		}
	}},
	{"every kind that can be listed is listed", func(e *env) {
		lists, err := e.disco.ServerPreferredResourcesWithContext(e.ctx)
		if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
			e.Fatal(err)
		}
		n := 0
		for _, list := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists) {
			if strings.Contains(list.GroupVersion, "conformance.example.com") {
				continue
			}
			path := "/apis/"
			if list.GroupVersion == "v1" {
				path = "/api/"
			}
			for _, r := range list.APIResources {
				if r.Name == "componentstatuses" {
					continue // is measured, not stored, and deprecated since 1.19
				}
				got := e.get(path + list.GroupVersion + "/" + r.Name + "?limit=1")
				if items, ok := got["items"].([]any); !ok || got["kind"] != r.Kind+"List" || got["apiVersion"] != list.GroupVersion || len(items) > 1 {
					e.Errorf("%s %s: kind %v of %v", list.GroupVersion, r.Name, got["kind"], got["apiVersion"])
				}
				n++
			}
		}
		if n < 40 {
			e.Errorf("only %d kinds", n)
		}
	}},
	{"a group names its versions, the preferred one first", func(e *env) {
		group, err := e.disco.ServerGroup(e.ctx, "autoscaling")
		e.must(err)
		if len(group.Versions) != 2 || group.PreferredVersion.GroupVersion != "autoscaling/v2" || group.Versions[0].Version != "v2" || group.Versions[1].Version != "v1" {
			e.Errorf("%+v", group)
		}
	}},
	{"an object is served in all versions of its group", func(e *env) {
		path := "/namespaces/" + e.namespace() + "/horizontalpodautoscalers"
		a := e.ask("POST", "/apis/autoscaling/v1"+path, `{"metadata":{"name":"a"},"spec":{"maxReplicas":5,"targetCPUUtilizationPercentage":50,
			"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`)
		e.must(a.err)
		got := e.get("/apis/autoscaling/v2" + path + "/a")
		metrics, _ := at(got, "spec", "metrics").([]any)
		if got["apiVersion"] != "autoscaling/v2" || len(metrics) != 1 || at(metrics[0], "resource", "target", "averageUtilization") != 50.0 {
			e.Errorf("%v", got)
		}
	}},
	{"a group or version that is not there is not found", func(e *env) {
		for _, gv := range []string{"apps/v9", "nothing.example.com/v1"} {
			_, err := e.disco.ServerResourcesForGroupVersionWithContext(e.ctx, gv)
			e.refused(err, refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound})
		}
	}},
	{"the server tells its version and its health", func(e *env) {
		v, err := e.disco.ServerVersionWithContext(e.ctx)
		e.must(err)
		if v.Major != "1" || !strings.HasPrefix(v.GitVersion, "v1.") {
			e.Errorf("%+v", v)
		}
		for _, path := range []string{"/healthz", "/livez", "/readyz"} {
			if a := e.ask("GET", path, "", "Accept", "*/*"); a.err != nil || string(a.body) != "ok" {
				e.Errorf("%s: %q, %v", path, a.body, a.err)
			}
		}
	}},
	{"OpenAPI has a document for each group", func(e *env) {
		paths, err := e.disco.OpenAPIV3Paths(e.ctx)
		e.must(err)
		for _, path := range []string{"api/v1", "apis/apps/v1"} {
			document, err := e.disco.OpenAPIV3Schema(e.ctx, paths[path], "application/json")
			if e.must(err); !strings.Contains(string(document), `"x-kubernetes-group-version-kind"`) {
				e.Errorf("%s: %.200s", path, document)
			}
		}
	}},
}
