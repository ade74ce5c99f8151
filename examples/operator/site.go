package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/rest"
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
	Pages              int    `json:"pages"`
	ObservedGeneration int64  `json:"observedGeneration"`
	Message            string `json:"message"`
}

// siteResource is where sites are found.
var siteResource = gentype.Resource{Group: "demo.vedette.dev", Version: "v1", Kind: "Site", Plural: "sites"}

// reference is the site, for events.
func (s *Site) reference() *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: siteResource.Group + "/" + siteResource.Version, Kind: siteResource.Kind,
		Namespace: s.Namespace, Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion,
	}
}

// owner is the site, for what belongs to it.
func (s *Site) owner() metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: siteResource.Group + "/" + siteResource.Version, Kind: siteResource.Kind,
		Name: s.Name, UID: s.UID, Controller: &yes, BlockOwnerDeletion: &yes,
	}
}

//go:embed crd.yaml
var definition []byte

// install tells the server what a site is, and waits until it knows.
func install(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(definition, &crd.Object); err != nil {
		return fmt.Errorf("crd.yaml: %w", err)
	}
	if _, err := definitions.Create(ctx, crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	sites := client.Resource(schema.GroupVersionResource{Group: siteResource.Group, Version: siteResource.Version, Resource: siteResource.Plural})
	for {
		_, err := sites.List(ctx, metav1.ListOptions{Limit: 1})
		if !apierrors.IsNotFound(err) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the server does not serve sites yet: %w", err)
		}
	}
}
