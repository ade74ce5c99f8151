package kinds

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groupVersions are all versions of all groups in the order of discovery; those of one group stand together.
func (t *table) groupVersions() []schema.GroupVersion {
	var all []schema.GroupVersion
	for _, k := range t.kinds {
		if gv := k.GroupVersion(); !slices.Contains(all, gv) {
			all = append(all, gv)
		}
	}
	return all
}

func (t *table) hasGroup(name string) bool {
	return slices.ContainsFunc(t.kinds, func(k *Kind) bool { return k.Group == name })
}

// group describes one that exists.
func (t *table) group(name string) metav1.APIGroup {
	group := metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: name}
	for _, gv := range t.groupVersions() {
		if gv.Group == name {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
		}
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

func (t *table) legacyGroups() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	var last string
	for _, gv := range t.groupVersions() {
		if gv.Group != last {
			last = gv.Group
			group := t.group(gv.Group)
			group.TypeMeta = metav1.TypeMeta{}
			list.Groups = append(list.Groups, group)
		}
	}
	return list
}

func (t *table) legacyVersions(host string) *metav1.APIVersions {
	return &metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
		Versions: []string{"v1"},
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{
			{ClientCIDR: "0.0.0.0/0", ServerAddress: host},
		},
	}
}

// resourceList is empty for versions that do not exist.
func (t *table) resourceList(gv schema.GroupVersion) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
	}
	if gv.Group == "" {
		list.APIVersion = "" // as the real server has it
	}
	for _, k := range t.kinds {
		if k.GroupVersion() != gv {
			continue
		}
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name:               k.Plural,
			SingularName:       k.Singular,
			Namespaced:         k.Namespaced,
			Kind:               k.Kind,
			Verbs:              k.Verbs,
			ShortNames:         k.ShortNames,
			Categories:         k.Categories,
			StorageVersionHash: k.StorageVersionHash,
		})
		for _, s := range k.Subresources {
			list.APIResources = append(list.APIResources, subresource(k, s))
		}
	}
	return list
}

func subresource(k *Kind, s Subresource) metav1.APIResource {
	r := metav1.APIResource{Name: k.Plural + "/" + s.Name, Namespaced: k.Namespaced, Kind: s.Kind, Verbs: s.Verbs}
	if s.GroupVersion() != k.GroupVersion() {
		r.Group, r.Version = s.Group, s.Version
	}
	return r
}
