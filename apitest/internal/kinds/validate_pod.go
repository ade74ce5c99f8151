package kinds

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec is for pods and for templates of pods.
func validatePodSpec(spec *corev1.PodSpec, at *field.Path) field.ErrorList {
	volumes, errs := validateVolumes(spec.Volumes, at.Child("volumes"))
	errs = append(errs, validateContainers(spec.Containers, volumes, at.Child("containers"))...)
	names := sets.New[string]()
	for _, c := range spec.Containers {
		names.Insert(c.Name)
	}
	for i := range spec.InitContainers {
		errs = append(errs, validateContainer(&spec.InitContainers[i], volumes, at.Child("initContainers").Index(i))...)
		errs = append(errs, unique(names, spec.InitContainers[i].Name, at.Child("initContainers").Index(i).Child("name"))...)
	}
	errs = append(errs, oneOf(spec.RestartPolicy, at.Child("restartPolicy"),
		corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(spec.DNSPolicy, at.Child("dnsPolicy"), corev1.DNSClusterFirstWithHostNet,
		corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	if spec.ServiceAccountName != "" {
		errs = append(errs, messages(at.Child("serviceAccountName"), spec.ServiceAccountName,
			validation.IsDNS1123Subdomain(spec.ServiceAccountName))...)
	}
	if spec.NodeName != "" {
		errs = append(errs, messages(at.Child("nodeName"), spec.NodeName, validation.IsDNS1123Subdomain(spec.NodeName))...)
	}
	if d := spec.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > 1<<31-1) {
		errs = append(errs, field.Invalid(at.Child("activeDeadlineSeconds"), *d, validation.InclusiveRangeError(1, 1<<31-1)))
	}
	if spec.Hostname != "" {
		errs = append(errs, messages(at.Child("hostname"), spec.Hostname, validation.IsDNS1123Label(spec.Hostname))...)
	}
	if spec.Subdomain != "" {
		errs = append(errs, messages(at.Child("subdomain"), spec.Subdomain, validation.IsDNS1123Label(spec.Subdomain))...)
	}
	return errs
}

// validateVolumes also returns the names of those that are right.
func validateVolumes(volumes []corev1.Volume, at *field.Path) (sets.Set[string], field.ErrorList) {
	names := sets.New[string]()
	var errs field.ErrorList
	for i, v := range volumes {
		name := at.Index(i).Child("name")
		var wrong field.ErrorList
		if sources := countSources(v.VolumeSource); sources > 1 {
			wrong = append(wrong, field.Forbidden(at.Index(i), "may not specify more than 1 volume type"))
		}
		if v.Name == "" {
			wrong = append(wrong, field.Required(name, ""))
		} else {
			wrong = append(wrong, messages(name, v.Name, validation.IsDNS1123Label(v.Name))...)
		}
		if names.Has(v.Name) {
			wrong = append(wrong, field.Duplicate(name, v.Name))
		}
		if len(wrong) == 0 {
			names.Insert(v.Name)
		}
		errs = append(errs, wrong...)
	}
	return names, errs
}

func countSources(source corev1.VolumeSource) (n int) {
	v := reflect.ValueOf(source)
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			n++
		}
	}
	return n
}

func unique(seen sets.Set[string], name string, at *field.Path) field.ErrorList {
	if seen.Has(name) {
		return field.ErrorList{field.Duplicate(at, name)}
	}
	seen.Insert(name)
	return nil
}

const podMayChange = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

func validatePodChange(pod, old *corev1.Pod) field.ErrorList {
	for _, list := range []struct {
		name        string
		now, before []corev1.Container
	}{{"containers", pod.Spec.Containers, old.Spec.Containers}, {"initContainers", pod.Spec.InitContainers, old.Spec.InitContainers}} {
		if len(list.now) != len(list.before) {
			return field.ErrorList{field.Forbidden(specPath.Child(list.name), "pod updates may not add or remove containers")}
		}
	}
	errs := validateDeadlineChange(pod.Spec.ActiveDeadlineSeconds, old.Spec.ActiveDeadlineSeconds)
	for _, before := range old.Spec.Tolerations {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			t.TolerationSeconds = before.TolerationSeconds
			return equality.Semantic.DeepEqual(t, before)
		}) {
			errs = append(errs, field.Forbidden(specPath.Child("tolerations"),
				"existing toleration can not be modified except its tolerationSeconds"))
			break
		}
	}
	wanted := pod.Spec.DeepCopy()
	for i := range wanted.Containers {
		wanted.Containers[i].Image = old.Spec.Containers[i].Image
	}
	for i := range wanted.InitContainers {
		wanted.InitContainers[i].Image = old.Spec.InitContainers[i].Image
	}
	wanted.ActiveDeadlineSeconds = old.Spec.ActiveDeadlineSeconds
	wanted.Tolerations = old.Spec.Tolerations
	wanted.SchedulingGates = old.Spec.SchedulingGates
	if len(old.Spec.SchedulingGates) > 0 {
		wanted.NodeSelector = old.Spec.NodeSelector
	}
	if !equality.Semantic.DeepEqual(*wanted, old.Spec) {
		errs = append(errs, field.Forbidden(specPath, podMayChange+"\n"+difference(old.Spec, wanted)))
	}
	return errs
}

func validateDeadlineChange(now, before *int64) field.ErrorList {
	at := specPath.Child("activeDeadlineSeconds")
	switch {
	case before == nil:
		return nil
	case now == nil:
		return field.ErrorList{field.Invalid(at, now, "must not update from a positive integer to nil value")}
	case *before < *now:
		return field.ErrorList{field.Invalid(at, *now, "must be less than or equal to previous value")}
	}
	return nil
}

// difference shows what lies between the first and the last line that differ.
func difference(a, b any) string {
	lines := func(v any) []string {
		text, err := json.MarshalIndent(v, "  ", "  ")
		if err != nil {
			return []string{err.Error()}
		}
		return strings.Split(string(text), "\n")
	}
	before, after := lines(a), lines(b)
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	var out strings.Builder
	for _, line := range before {
		fmt.Fprintf(&out, "-%s\n", line)
	}
	for _, line := range after {
		fmt.Fprintf(&out, "+%s\n", line)
	}
	return out.String()
}
