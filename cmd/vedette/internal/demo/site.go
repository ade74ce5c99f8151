package demo

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"vedette.dev/dynamic"
	"vedette.dev/gentype"
)

// Site is some pages, each in a config map. It is a plain struct: nothing is generated for it.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec"`
	Status SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what somebody wants.
type SiteSpec struct {
	Pages int    `json:"pages"`
	Text  string `json:"text"`
}

// SiteStatus is what there is. All of it is written each time, also what is empty, so that a patch clears what was there before.
type SiteStatus struct {
	Pages              int   `json:"pages"`
	ObservedGeneration int64 `json:"observedGeneration"`
}

// siteKind and siteGroup are what a site is called. In a cluster, a demo has a group of its own below that one, so that it is in
// nobody's way and removes nothing that is not its own.
const (
	siteKind  = "Site"
	siteGroup = "demo.vedette.dev"
)

func siteResource(group string) gentype.Resource {
	return gentype.Resource{Group: group, Version: "v1", Kind: siteKind, Plural: "sites"}
}

func siteGVR(r gentype.Resource) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// owner is the site, for what belongs to it.
func (s *Site) owner(r gentype.Resource) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: r.Group + "/" + r.Version, Kind: r.Kind, Name: s.Name, UID: s.UID, Controller: &yes, BlockOwnerDeletion: &yes,
	}
}

//go:embed crd.yaml
var definition []byte

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func definitionName(r gentype.Resource) string { return r.Plural + "." + r.Group }

// define tells the server what a site is, and waits until it knows.
func define(ctx context.Context, client dynamic.Interface, r gentype.Resource) error {
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(definition, &crd.Object); err != nil {
		return fmt.Errorf("crd.yaml: %w", err)
	}
	crd.SetName(definitionName(r))
	if err := unstructured.SetNestedField(crd.Object, r.Group, "spec", "group"); err != nil {
		return fmt.Errorf("crd.yaml: %w", err)
	}
	if _, err := client.Resource(definitions).Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("cannot define the kind %s: %w", siteKind, err)
	}
	for {
		_, err := client.Resource(siteGVR(r)).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("cannot list objects of the kind %s: %w", siteKind, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
