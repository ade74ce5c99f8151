package protocol

import (
	"maps"
	"slices"
	"strings"
)

// FormatVersions returns the text of versions by resource, such as "configmaps=12,jobs.batch=34".
func FormatVersions(versions map[string]string) string {
	var b strings.Builder
	for _, resource := range slices.Sorted(maps.Keys(versions)) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(resource + "=" + versions[resource])
	}
	return b.String()
}

// ParseVersions reads the text of FormatVersions. What is not valid is left out: nothing can be waited for then.
func ParseVersions(text string) map[string]string {
	out := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		if resource, version, ok := strings.Cut(entry, "="); ok && resource != "" && version != "" {
			out[resource] = version
		}
	}
	return out
}
