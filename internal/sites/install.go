package sites

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

//go:embed crd.yaml
var definition []byte

// Definitions is the resource of definitions of kinds.
var Definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// DefinitionName returns the name of the definition of sites.
func DefinitionName(r gentype.Resource) string { return r.Plural + "." + r.Group }

// Install creates the definition of sites in a server, and waits until the server serves them.
func Install(ctx context.Context, client dynamic.Interface, r gentype.Resource) error {
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(definition, &crd.Object); err != nil {
		return fmt.Errorf("crd.yaml: %w", err)
	}
	crd.SetName(DefinitionName(r))
	if err := unstructured.SetNestedField(crd.Object, r.Group, "spec", "group"); err != nil {
		return fmt.Errorf("crd.yaml: %w", err)
	}
	if _, err := client.Resource(Definitions).Create(ctx, crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot define the kind %s: %w", r.Kind, err)
	}
	for {
		_, err := client.Resource(GVR(r)).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("cannot list objects of the kind %s: %w", r.Kind, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the server does not serve sites yet: %w", context.Cause(ctx))
		}
	}
}
