package api

import "strings"

// plural is the English rule that Kubernetes uses for the names of resources, in which "Endpoints" is many already.
func plural(name string) string {
	if name == "Endpoints" {
		return name
	}
	stem, last := name[:len(name)-1], name[len(name)-1:]
	switch {
	case strings.Contains("sxz", last), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	case last == "y" && !strings.Contains("aeiou", stem[len(stem)-1:]):
		return stem + "ies"
	case strings.HasSuffix(name, "fe"):
		return strings.TrimSuffix(name, "fe") + "ves"
	case last == "f":
		return stem + "ves"
	default:
		return name + "s"
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
