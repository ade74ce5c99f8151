package apitest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

func (f *Fault) validate() error {
	t, known := effects[f.Effect]
	bad := func(field, format string, args ...any) error {
		return fmt.Errorf("apitest: Fault.%s %s", field, fmt.Sprintf(format, args...))
	}
	switch {
	case f.Effect == "":
		return bad("Effect", "is missing")
	case !known:
		return bad("Effect", "%q is not one of %s", f.Effect, strings.Join(effectNames(), ", "))
	case f.Delay < 0:
		return bad("Delay", "is negative: %v", f.Delay)
	case t.needsDelay && f.Delay == 0:
		return bad("Delay", "is missing, and %q needs one", f.Effect)
	case !t.needsDelay && !t.delay && f.Delay != 0:
		return bad("Delay", "has no meaning for %q; add a fault with the effect %q", f.Effect, Slow)
	case f.Bytes < 0:
		return bad("Bytes", "is negative: %d", f.Bytes)
	case !t.bytes && f.Bytes != 0:
		return bad("Bytes", "has no meaning for %q", f.Effect)
	case f.RetryAfter < 0 || f.RetryAfter%time.Second != 0:
		return bad("RetryAfter", "is %v: the header has whole seconds", f.RetryAfter)
	case !t.retryAfter && f.RetryAfter != 0:
		return bad("RetryAfter", "has no meaning for %q", f.Effect)
	case f.After < 0:
		return bad("After", "is negative: %d", f.After)
	case f.Times < 0:
		return bad("Times", "is negative: %d; 0 means until it is removed", f.Times)
	case !(f.Probability >= 0 && f.Probability <= 1): // also false for NaN
		return bad("Probability", "is %v, want 0 to 1; 0 means always", f.Probability)
	case f.Seed != 0 && (f.Probability == 0 || f.Probability == 1):
		return bad("Seed", "has no meaning without a Probability")
	case t.watches && len(f.Match.Verbs) > 0 && !slices.Contains(f.Match.Verbs, "watch"):
		return bad("Effect", "%q is for watches, but Match.Verbs does not have watch", f.Effect)
	}
	return f.Match.validate()
}

func effectNames() []string {
	names := make([]string, 0, len(effects))
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		names = append(names, string(name))
	}
	return names
}

var (
	knownVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
		"head", "options", "post", "put"}
	resourceForm    = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9.-]*[a-z0-9])?$`)
	subresourceForm = regexp.MustCompile(`^(\*|[a-z0-9-]+)$`)
)

func (m *Match) validate() error {
	for _, verb := range m.Verbs {
		if !slices.Contains(knownVerbs, verb) {
			return fmt.Errorf("apitest: Fault.Match.Verbs has %q, want one of %s", verb, strings.Join(knownVerbs, ", "))
		}
	}
	switch {
	case m.Resource != "" && !resourceForm.MatchString(m.Resource):
		return fmt.Errorf("apitest: Fault.Match.Resource %q is not of the form pods or deployments.apps", m.Resource)
	case m.Subresource != "" && !subresourceForm.MatchString(m.Subresource):
		return fmt.Errorf("apitest: Fault.Match.Subresource %q is not of the form status, or *", m.Subresource)
	case m.Path != "" && !strings.HasPrefix(m.Path, "/"):
		return fmt.Errorf("apitest: Fault.Match.Path %q does not begin with a slash", m.Path)
	case strings.Contains(m.Name, "/"):
		return fmt.Errorf("apitest: Fault.Match.Name %q has a slash; set Match.Namespace", m.Name)
	case strings.Contains(m.Namespace, "/"):
		return fmt.Errorf("apitest: Fault.Match.Namespace %q has a slash", m.Namespace)
	}
	return nil
}
