package fakes

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// discovery answers with the Resources of the fake, if there are some.
func (t *Transport) discovery(req *http.Request) (*http.Response, bool) {
	t.Fake.RLock()
	resources := slices.Clone(t.Fake.Resources)
	t.Fake.RUnlock()
	path := strings.Trim(req.URL.Path, "/")
	if len(resources) == 0 || path != "api" && path != "apis" && !strings.HasPrefix(path, "api/") && !strings.HasPrefix(path, "apis/") {
		return nil, false
	}
	var answer any
	switch path {
	case "api":
		answer = versionsOf(resources)
	case "apis":
		answer = groupsOf(resources)
	default:
		version := strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")
		at := slices.IndexFunc(resources, func(l *metav1.APIResourceList) bool { return l.GroupVersion == version })
		if at < 0 {
			return statusResponse(req, notFound("the fake has no resources of "+version)), true
		}
		list := resources[at].DeepCopy()
		list.TypeMeta = metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}
		answer = list
	}
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err) // they have only plain fields
	}
	return response(req, http.StatusOK, "application/json", data), true
}

func versionsOf(resources []*metav1.APIResourceList) *metav1.APIVersions {
	versions := &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
	for _, list := range resources {
		if gv, err := schema.ParseGroupVersion(list.GroupVersion); err == nil && gv.Group == "" {
			versions.Versions = append(versions.Versions, gv.Version)
		}
	}
	return versions
}

// groupsOf prefers the first version of each group.
func groupsOf(resources []*metav1.APIResourceList) *metav1.APIGroupList {
	groups := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, list := range resources {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || gv.Group == "" {
			continue
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: list.GroupVersion, Version: gv.Version}
		at := slices.IndexFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == gv.Group })
		if at < 0 {
			groups.Groups = append(groups.Groups, metav1.APIGroup{Name: gv.Group, PreferredVersion: version})
			at = len(groups.Groups) - 1
		}
		groups.Groups[at].Versions = append(groups.Groups[at].Versions, version)
	}
	return groups
}
