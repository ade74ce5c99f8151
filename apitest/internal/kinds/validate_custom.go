package kinds

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (k *Kind) validateUnstructured(u, old *unstructured.Unstructured, op Operation) field.ErrorList {
	switch {
	case k.custom != nil:
		return k.validateCustom(u)
	case k.Kind == "CustomResourceDefinition" && op != UpdateStatus:
		return validateDefinition(u, old)
	}
	return nil
}

func (k *Kind) validateCustom(u *unstructured.Unstructured) field.ErrorList {
	errs := k.custom.schema.validate(u.Object, nil)
	errs = append(errs, k.custom.schema.validateLists(u.Object, nil)...)
	if k.custom.scale != nil {
		errs = append(errs, validateReplicas(u, k.custom.scale.SpecReplicasPath)...)
	}
	return errs
}

// validateReplicas is about the field that a scale subresource shows.
func validateReplicas(u *unstructured.Unstructured, path string) field.ErrorList {
	at := field.NewPath(path)
	replicas, found, err := unstructured.NestedInt64(u.Object, strings.Split(strings.TrimPrefix(path, "."), ".")...)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(at, int64(0), err.Error())}
	case found && replicas < 0:
		return field.ErrorList{field.Invalid(at, replicas, "should be a non-negative integer")}
	}
	return nil
}

func validateDefinition(u, old *unstructured.Unstructured) (errs field.ErrorList) {
	d, err := parseDefinition(u)
	if err != nil {
		return field.ErrorList{field.Invalid(specPath, nil, err.Error())}
	}
	spec := &d.spec
	if want := spec.Names.Plural + "." + spec.Group; u.GetName() != want {
		errs = append(errs, field.Invalid(metaPath.Child("name"), u.GetName(), `must be spec.names.plural+"."+spec.group`))
	}
	errs = append(errs, oneOf(spec.Scope, specPath.Child("scope"), "Cluster", "Namespaced")...)
	stored := 0
	for i, v := range spec.Versions {
		if v.Storage {
			stored++
		}
		errs = append(errs, validateDefinedSchema(v, specPath.Child("versions").Index(i).Child("schema", "openAPIV3Schema"))...)
	}
	if stored != 1 {
		errs = append(errs, field.Invalid(specPath.Child("versions"), shownVersions(spec.Versions),
			"must have exactly one version marked as storage version"))
	}
	if versions, _, _ := unstructured.NestedSlice(u.Object, "status", "storedVersions"); len(versions) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("status", "storedVersions"), nil, "must have at least one stored version"))
	}
	if old != nil {
		errs = append(errs, validateDefinitionChange(d, old)...)
	}
	return errs
}

// shownVersion is how the real server shows a version: by a type that has no names for JSON.
type shownVersion struct {
	Name                                                                                 string
	Served, Storage, Deprecated                                                          bool
	DeprecationWarning, Schema, Subresources, AdditionalPrinterColumns, SelectableFields *string
}

func shownVersions(versions []crdVersion) (shown []shownVersion) {
	for _, v := range versions {
		shown = append(shown, shownVersion{Name: v.Name, Served: v.Served, Storage: v.Storage})
	}
	return shown
}

// validateDefinedSchema checks that a schema is structural: of each field it says what it is.
func validateDefinedSchema(v crdVersion, at *field.Path) field.ErrorList {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	s, err := parseSchema(v.Schema.OpenAPIV3Schema)
	if err != nil {
		return field.ErrorList{field.Invalid(at, "", err.Error())}
	}
	// The real server moves the schema of a definition with one version to where older clients looked for it.
	errs := s.validateStructure(specPath.Child("validation", "openAPIV3Schema"), "the root")
	if s.Type != "object" && s.Type != "" {
		errs = append(errs, field.Invalid(specPath.Child("validation", "openAPIV3Schema", "type"), s.Type, "must be object at the root"))
	}
	return errs
}

func (s *jsonSchema) validateStructure(at *field.Path, what string) (errs field.ErrorList) {
	if s.Type == "" && !s.IntOrString && !s.Preserve {
		word := "must not be empty for " + what
		if what == "the root" {
			word = "must not be empty at the root"
		}
		errs = append(errs, field.Required(at.Child("type"), word))
	}
	if types := []string{"", "string", "integer", "number", "boolean", "object", "array"}; !slices.Contains(types, s.Type) {
		errs = append(errs, field.NotSupported(at.Child("type"), s.Type, types[1:]))
	}
	for name, sub := range s.Properties {
		errs = append(errs, sub.validateStructure(at.Child("properties").Key(name), "specified object fields")...)
	}
	if s.Items != nil {
		errs = append(errs, s.Items.schema.validateStructure(at.Child("items"), "specified array items")...)
	} else if s.Type == "array" {
		errs = append(errs, field.Required(at.Child("items"), "must be specified"))
	}
	if a := s.AdditionalProperties; a != nil && a.schema != nil {
		errs = append(errs, a.schema.validateStructure(at.Child("additionalProperties"), "specified object fields")...)
	}
	return errs
}

func validateDefinitionChange(d *definition, old *unstructured.Unstructured) (errs field.ErrorList) {
	before, err := parseDefinition(old)
	if err != nil {
		return nil
	}
	status, _ := old.Object["status"].(map[string]any)
	served := isTrue(status, "Established")
	for _, f := range []struct {
		name, now, was string
		always         bool // or once it is served
	}{
		{"group", d.spec.Group, before.spec.Group, true}, {"scope", d.spec.Scope, before.spec.Scope, false},
		{"names.kind", d.spec.Names.Kind, before.spec.Names.Kind, false}, {"names.plural", d.spec.Names.Plural, before.spec.Names.Plural, true},
	} {
		if f.now != f.was && (served || f.always) {
			errs = append(errs, field.Invalid(field.NewPath(fmt.Sprint("spec.", f.name)), f.now, "field is immutable"))
		}
	}
	return errs
}
