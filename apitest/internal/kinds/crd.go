package kinds

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// CRDResource is where the definitions of custom resources are served.
var CRDResource = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// definition is a CustomResourceDefinition.
type definition struct {
	name  string
	spec  crdSpec
	kinds []*Kind
}

// crdSpec is what a registry needs to know of a definition.
type crdSpec struct {
	Group    string       `json:"group"`
	Scope    string       `json:"scope"`
	Names    crdNames     `json:"names"`
	Versions []crdVersion `json:"versions"`
}

type crdNames struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
}

type crdVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
	Schema  *struct {
		OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
	} `json:"schema"`
	Subresources struct {
		Status *struct{}        `json:"status"`
		Scale  *ScaleDefinition `json:"scale"`
	} `json:"subresources"`
	AdditionalPrinterColumns []printerColumn             `json:"additionalPrinterColumns"`
	SelectableFields         []struct{ JSONPath string } `json:"selectableFields"`
}

// ScaleDefinition says where a custom resource keeps what its scale subresource shows.
type ScaleDefinition struct {
	SpecReplicasPath   string `json:"specReplicasPath"`
	StatusReplicasPath string `json:"statusReplicasPath"`
	LabelSelectorPath  string `json:"labelSelectorPath"`
}

// customKind is what a kind from a definition has besides.
type customKind struct {
	storageVersion string
	schema         *jsonSchema
	rawSchema      map[string]any
	scale          *ScaleDefinition
	columns        []printerColumn
	// selectable are the paths of the fields that selectors may use, such as ".spec.color".
	selectable []string
	listKind   string
}

// Scale says where a custom resource keeps its replicas, or nil if it has no scale subresource.
func (k *Kind) Scale() *ScaleDefinition {
	if k.custom == nil {
		return nil
	}
	return k.custom.scale
}

func (c *customKind) storage(t *table, k *Kind) *Kind {
	gvr := k.Resource()
	gvr.Version = c.storageVersion
	if stored, ok := t.byResource[gvr]; ok {
		return stored
	}
	return k // the version that is stored is not served
}

func parseDefinition(obj *unstructured.Unstructured) (*definition, error) {
	d := &definition{name: obj.GetName()}
	data, err := json.Marshal(obj.Object["spec"])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &d.spec); err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition %q: %w", d.name, err)
	}
	names := &d.spec.Names
	names.Singular = cmp.Or(names.Singular, strings.ToLower(names.Kind))
	names.ListKind = cmp.Or(names.ListKind, names.Kind+"List")
	if names.Plural == "" || names.Kind == "" || d.spec.Group == "" || len(d.spec.Versions) == 0 {
		return nil, fmt.Errorf("CustomResourceDefinition %q: plural, kind, group and a version are needed", d.name)
	}
	stored := d.storedVersion()
	for _, v := range d.spec.Versions {
		if !v.Served {
			continue
		}
		k, err := d.kind(v, stored)
		if err != nil {
			return nil, fmt.Errorf("CustomResourceDefinition %q, version %s: %w", d.name, v.Name, err)
		}
		d.kinds = append(d.kinds, k)
	}
	slices.SortStableFunc(d.kinds, func(a, b *Kind) int {
		return -version.CompareKubeAwareVersionStrings(a.Version, b.Version)
	})
	return d, nil
}

func (d *definition) storedVersion() string {
	for _, v := range d.spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return d.spec.Versions[0].Name
}

// crdVerbs are in the order in which the real server names them.
var crdVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}

func (d *definition) kind(v crdVersion, stored string) (*Kind, error) {
	gvk := schema.GroupVersionKind{Group: d.spec.Group, Version: v.Name, Kind: d.spec.Names.Kind}
	c := &customKind{storageVersion: stored, scale: v.Subresources.Scale, columns: v.AdditionalPrinterColumns,
		schema: &jsonSchema{}, listKind: d.spec.Names.ListKind}
	if v.Schema != nil {
		parsed, err := parseSchema(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		c.schema, c.rawSchema = parsed, v.Schema.OpenAPIV3Schema
	}
	for _, f := range v.SelectableFields {
		if strings.HasPrefix(f.JSONPath, ".") {
			c.selectable = append(c.selectable, f.JSONPath)
		}
	}
	k := &Kind{
		GroupVersionKind: gvk, Plural: d.spec.Names.Plural, Singular: d.spec.Names.Singular,
		ShortNames: d.spec.Names.ShortNames, Categories: d.spec.Names.Categories, Verbs: crdVerbs,
		Namespaced: d.spec.Scope == "Namespaced", Custom: true, custom: c,
		StorageVersionHash: storageHash(gvk.GroupKind(), stored),
	}
	some := []string{"get", "patch", "update"}
	if v.Subresources.Status != nil {
		k.Subresources = append(k.Subresources, Subresource{Name: "status", GroupVersionKind: gvk, Verbs: some})
	}
	if v.Subresources.Scale != nil {
		k.Subresources = append(k.Subresources, Subresource{Name: "scale", Verbs: some,
			GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}})
	}
	k.newObject = func() runtime.Object {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u
	}
	k.newList = func() runtime.Object {
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk.GroupVersion().WithKind(c.listKind))
		return u
	}
	return k, nil
}

func storageHash(gk schema.GroupKind, version string) string {
	sum := sha256.Sum256([]byte(gk.Group + "/" + version + "/" + gk.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
