package kinds

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// CRDStatus sets the status that the real server gives to a definition soon after it was written: whether its names are
// accepted, and whether it is served. It reports whether that has changed anything.
func (r *Registry) CRDStatus(obj *unstructured.Unstructured) (changed bool) {
	d, err := parseDefinition(obj)
	if err != nil {
		return false
	}
	now := time.Now()
	status, _ := obj.Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		obj.Object["status"] = status
	}
	accepted := condition{"NamesAccepted", "True", "NoConflicts", "no conflicts found"}
	established := condition{"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"}
	conflicts := r.current.Load().conflicts(d)
	for _, c := range conflicts { // the last one is told
		accepted = condition{"NamesAccepted", "False", c.reason, c.message}
		established = condition{"Established", "False", "NotAccepted", "not all names are accepted"}
	}
	if wanted, ok := obj.Object["spec"].(map[string]any)["names"].(map[string]any); ok {
		before, _ := status["acceptedNames"].(map[string]any)
		names := acceptedNames(wanted, before, conflicts)
		changed = !equality.Semantic.DeepEqual(names, before)
		status["acceptedNames"] = names
	}
	changed = setCondition(status, accepted, now) || changed
	if isTrue(status, "Established") {
		return changed // once served, always served
	}
	return setCondition(status, established, now) || changed
}

type condition struct{ kind, status, reason, message string }

func setCondition(status map[string]any, c condition, now time.Time) bool {
	fields := map[string]any{"type": c.kind, "status": c.status, "reason": c.reason, "message": c.message,
		"lastTransitionTime": now.UTC().Format(time.RFC3339)}
	conditions, _ := status["conditions"].([]any)
	for i := range conditions {
		old, _ := conditions[i].(map[string]any)
		if old["type"] != c.kind {
			continue
		}
		if old["status"] == c.status && old["reason"] == c.reason && old["message"] == c.message {
			return false
		}
		if old["status"] == c.status {
			fields["lastTransitionTime"] = old["lastTransitionTime"]
		}
		conditions[i] = fields
		return true
	}
	status["conditions"] = append(conditions, fields)
	return true
}

func isTrue(status map[string]any, kind string) bool {
	conditions, _ := status["conditions"].([]any)
	for i := range conditions {
		if c, _ := conditions[i].(map[string]any); c["type"] == kind {
			return c["status"] == "True"
		}
	}
	return false
}
