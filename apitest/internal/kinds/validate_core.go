package kinds

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const frozen = "field is immutable when `immutable` is set"

func validateConfigMap(c *corev1.ConfigMap) (errs field.ErrorList) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(c.Data)) {
		at := field.NewPath("data").Key(key)
		errs = append(errs, messages(at, key, validation.IsConfigMapKey(key))...)
		if _, twice := c.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(at, key, "duplicate of key present in binaryData"))
		}
		size += len(c.Data[key])
	}
	for _, key := range slices.Sorted(maps.Keys(c.BinaryData)) {
		errs = append(errs, messages(field.NewPath("binaryData").Key(key), key, validation.IsConfigMapKey(key))...)
		size += len(c.BinaryData[key])
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

func validateConfigMapChange(c, old *corev1.ConfigMap) (errs field.ErrorList) {
	if old.Immutable == nil || !*old.Immutable {
		return nil
	}
	if c.Immutable == nil || !*c.Immutable {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), frozen))
	}
	if !equality.Semantic.DeepEqual(c.Data, old.Data) {
		errs = append(errs, field.Forbidden(field.NewPath("data"), frozen))
	}
	if !equality.Semantic.DeepEqual(c.BinaryData, old.BinaryData) {
		errs = append(errs, field.Forbidden(field.NewPath("binaryData"), frozen))
	}
	return errs
}

// needed are the keys that a secret of a type must have.
var needed = map[corev1.SecretType][]string{
	corev1.SecretTypeDockercfg:        {corev1.DockerConfigKey},
	corev1.SecretTypeDockerConfigJson: {corev1.DockerConfigJsonKey},
	corev1.SecretTypeSSHAuth:          {corev1.SSHAuthPrivateKey},
	corev1.SecretTypeTLS:              {corev1.TLSCertKey, corev1.TLSPrivateKeyKey},
}

func validateSecret(s *corev1.Secret) (errs field.ErrorList) {
	at, size := field.NewPath("data"), 0
	for _, key := range slices.Sorted(maps.Keys(s.Data)) {
		errs = append(errs, messages(at.Key(key), key, validation.IsConfigMapKey(key))...)
		size += len(s.Data[key])
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(at, "", corev1.MaxSecretSize))
	}
	for _, key := range needed[s.Type] {
		value, ok := s.Data[key]
		if !ok {
			errs = append(errs, field.Required(at.Key(key), ""))
			continue
		}
		if s.Type == corev1.SecretTypeDockercfg || s.Type == corev1.SecretTypeDockerConfigJson {
			if err := json.Unmarshal(value, &map[string]any{}); err != nil {
				errs = append(errs, field.Invalid(at.Key(key), "<secret contents redacted>", err.Error()))
			}
		}
	}
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			errs = append(errs, field.Required(metaPath.Child("annotations").Key(corev1.ServiceAccountNameKey), ""))
		}
	case corev1.SecretTypeBasicAuth:
		_, user := s.Data[corev1.BasicAuthUsernameKey]
		_, password := s.Data[corev1.BasicAuthPasswordKey]
		if !user && !password {
			errs = append(errs, field.Required(at.Key(corev1.BasicAuthUsernameKey), ""),
				field.Required(at.Key(corev1.BasicAuthPasswordKey), ""))
		}
	}
	return errs
}

func validateSecretChange(s, old *corev1.Secret) field.ErrorList {
	errs := apivalidation.ValidateImmutableField(s.Type, old.Type, field.NewPath("type"))
	if old.Immutable == nil || !*old.Immutable {
		return errs
	}
	if s.Immutable == nil || !*s.Immutable {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), frozen))
	}
	if !equality.Semantic.DeepEqual(s.Data, old.Data) {
		errs = append(errs, field.Forbidden(field.NewPath("data"), frozen))
	}
	return errs
}

func validateClaim(c *corev1.PersistentVolumeClaim) (errs field.ErrorList) {
	if len(c.Spec.AccessModes) == 0 {
		errs = append(errs, field.Required(specPath.Child("accessModes"), "at least 1 access mode is required"))
	}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod}
	for _, mode := range c.Spec.AccessModes {
		if !slices.Contains(modes, mode) {
			errs = append(errs, field.NotSupported(specPath.Child("accessModes"), mode, modes))
		}
	}
	if _, ok := c.Spec.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs = append(errs, field.Required(specPath.Child("resources").Key("storage"), ""))
	}
	return errs
}

func validateClaimChange(c, old *corev1.PersistentVolumeClaim) field.ErrorList {
	wanted := c.Spec.DeepCopy()
	wanted.Resources = old.Spec.Resources
	wanted.VolumeAttributesClassName = old.Spec.VolumeAttributesClassName
	if old.Spec.VolumeName == "" {
		wanted.VolumeName = "" // the binder sets it once
	}
	if equality.Semantic.DeepEqual(*wanted, old.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(specPath, "spec is immutable after creation except resources.requests and "+
		"volumeAttributesClassName for bound claims\n"+difference(old.Spec, wanted))}
}

func validateRoleRef(ref rbacv1.RoleRef, kinds ...string) (errs field.ErrorList) {
	at := field.NewPath("roleRef")
	if ref.APIGroup != rbacv1.GroupName {
		errs = append(errs, field.NotSupported(at.Child("apiGroup"), ref.APIGroup, []string{rbacv1.GroupName}))
	}
	if !slices.Contains(kinds, ref.Kind) {
		errs = append(errs, field.NotSupported(at.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	}
	return errs
}

func validateRoleRefChange(ref, old rbacv1.RoleRef) field.ErrorList {
	if ref == old {
		return nil
	}
	// The real server shows its own type, which has no names for JSON.
	shown := struct{ APIGroup, Kind, Name string }(ref)
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), shown, "cannot change roleRef")}
}

func validateIngress(i *networkingv1.Ingress) (errs field.ErrorList) {
	if len(i.Spec.Rules) == 0 && i.Spec.DefaultBackend == nil {
		errs = append(errs, field.Invalid(specPath, i.Spec.Rules, "either `defaultBackend` or `rules` must be specified"))
	}
	for r, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		at := specPath.Child("rules").Index(r).Child("http", "paths")
		if len(rule.HTTP.Paths) == 0 {
			errs = append(errs, field.Required(at, ""))
		}
		for p, path := range rule.HTTP.Paths {
			if path.PathType == nil {
				errs = append(errs, field.Required(at.Index(p).Child("pathType"), "pathType must be specified"))
			}
		}
	}
	return errs
}
