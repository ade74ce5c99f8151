package kinds

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateContainers(containers []corev1.Container, volumes sets.Set[string], at *field.Path) (errs field.ErrorList) {
	if len(containers) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	names := sets.New[string]()
	for i := range containers {
		errs = append(errs, validateContainer(&containers[i], volumes, at.Index(i))...)
		errs = append(errs, unique(names, containers[i].Name, at.Index(i).Child("name"))...)
	}
	return errs
}

func validateContainer(c *corev1.Container, volumes sets.Set[string], at *field.Path) (errs field.ErrorList) {
	if c.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	} else {
		errs = append(errs, messages(at.Child("name"), c.Name, validation.IsDNS1123Label(c.Name))...)
	}
	if c.Image == "" {
		errs = append(errs, field.Required(at.Child("image"), ""))
	}
	errs = append(errs, oneOf(c.TerminationMessagePolicy, at.Child("terminationMessagePolicy"),
		corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	errs = append(errs, validatePorts(c.Ports, at.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, at.Child("env"))...)
	errs = append(errs, validateMounts(c.VolumeMounts, volumes, at.Child("volumeMounts"))...)
	errs = append(errs, oneOf(c.ImagePullPolicy, at.Child("imagePullPolicy"),
		corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	return append(errs, validateResources(c.Resources, at.Child("resources"))...)
}

func validatePorts(ports []corev1.ContainerPort, at *field.Path) (errs field.ErrorList) {
	names := sets.New[string]()
	for i, port := range ports {
		at := at.Index(i)
		if port.Name != "" {
			if wrong := validation.IsValidPortName(port.Name); len(wrong) > 0 {
				errs = append(errs, messages(at.Child("name"), port.Name, wrong)...)
			} else {
				errs = append(errs, unique(names, port.Name, at.Child("name"))...)
			}
		}
		if port.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, validatePortNumber(port.ContainerPort, at.Child("containerPort"))...)
		}
		if port.HostPort != 0 {
			errs = append(errs, validatePortNumber(port.HostPort, at.Child("hostPort"))...)
		}
		errs = append(errs, validateProtocol(port.Protocol, at.Child("protocol"))...)
	}
	return errs
}

func validatePortNumber(port int32, at *field.Path) field.ErrorList {
	return messages(at, port, validation.IsValidPortNum(int(port)))
}

func validateProtocol(p corev1.Protocol, at *field.Path) field.ErrorList {
	return oneOf(p, at, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
}

func validateEnv(env []corev1.EnvVar, at *field.Path) (errs field.ErrorList) {
	for i, v := range env {
		if v.Name == "" {
			errs = append(errs, field.Required(at.Index(i).Child("name"), ""))
		} else {
			errs = append(errs, messages(at.Index(i).Child("name"), v.Name, validation.IsRelaxedEnvVarName(v.Name))...)
		}
		if v.ValueFrom != nil && v.Value != "" {
			errs = append(errs, field.Invalid(at.Index(i).Child("valueFrom"), "", "may not be specified when `value` is not empty"))
		}
	}
	return errs
}

func validateMounts(mounts []corev1.VolumeMount, volumes sets.Set[string], at *field.Path) (errs field.ErrorList) {
	paths := sets.New[string]()
	for i, m := range mounts {
		at := at.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !volumes.Has(m.Name) {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		}
		if paths.Has(m.MountPath) {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths.Insert(m.MountPath)
	}
	return errs
}

func validateResources(r corev1.ResourceRequirements, at *field.Path) (errs field.ErrorList) {
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		errs = append(errs, validateQuantity(r.Limits[name], at.Child("limits").Key(string(name)))...)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		errs = append(errs, validateQuantity(request, at.Child("requests").Key(string(name)))...)
		if limit, limited := r.Limits[name]; limited && request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(at.Child("requests"), request.String(),
				fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		}
	}
	return errs
}

func validateQuantity(q resource.Quantity, at *field.Path) field.ErrorList {
	if q.Sign() < 0 {
		return field.ErrorList{field.Invalid(at, q.String(), "must be greater than or equal to 0").WithOrigin("minimum")}
	}
	return nil
}
