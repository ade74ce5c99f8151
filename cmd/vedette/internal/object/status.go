package object

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Status returns the status of an object in a word, empty if it has none. Similar objects have the same.
func Status(obj *unstructured.Unstructured) string {
	if obj.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	status, _ := obj.Object["status"].(map[string]any)
	if containers, ok := status["containerStatuses"].([]any); ok {
		return podStatus(status, containers)
	}
	if phase, _ := status["phase"].(string); phase != "" {
		return phase
	}
	if ready, ok := replicas(obj, status); ok {
		return ready
	}
	if word := conditionStatus(status); word != "" {
		return word
	}
	if reason, _ := obj.Object["reason"].(string); reason != "" { // an event
		return reason
	}
	return ""
}

// podStatus returns the reason why a container does not run, or the phase. A pod that runs and is not ready is NotReady.
func podStatus(status map[string]any, containers []any) string {
	phase, _ := status["phase"].(string)
	ready := true
	for _, c := range containers {
		for _, state := range []string{"waiting", "terminated"} {
			reason, _, _ := unstructured.NestedString(asMap(c), "state", state, "reason")
			if reason != "" && reason != "Completed" && reason != "PodInitializing" && reason != "ContainerCreating" {
				return reason
			}
		}
		is, _ := asMap(c)["ready"].(bool)
		ready = ready && is
	}
	if phase == "Running" && !ready {
		return "NotReady"
	}
	return phase
}

// replicas returns how many replicas are ready, for objects that have replicas.
func replicas(obj *unstructured.Unstructured, status map[string]any) (string, bool) {
	for _, names := range [][2]string{{"replicas", "readyReplicas"}, {"desiredNumberScheduled", "numberReady"}} {
		want, ok, _ := unstructured.NestedInt64(obj.Object, "spec", names[0])
		if !ok {
			want, ok = status[names[0]].(int64)
		}
		if ok {
			ready, _ := status[names[1]].(int64)
			return fmt.Sprintf("%d/%d", ready, want), true
		}
	}
	return "", false
}

// statusConditions are the conditions that describe the status of an object, most important first.
var statusConditions = []string{"Failed", "Complete", "Ready", "Available", "Established"}

func conditionStatus(status map[string]any) string {
	conditions, _ := status["conditions"].([]any)
	for _, name := range statusConditions {
		i := slices.IndexFunc(conditions, func(c any) bool { return asMap(c)["type"] == name })
		if i < 0 {
			continue
		}
		switch asMap(conditions[i])["status"] {
		case "True":
			return name
		case "False":
			if name == "Failed" || name == "Complete" {
				continue // not yet
			}
			return "Not" + name
		default:
			return name + "?"
		}
	}
	return ""
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
