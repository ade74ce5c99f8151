package clusterdiff

import "strings"

// Object is an object as the API server returns it in JSON.
type Object map[string]any

func (o Object) kind() string         { return asString(o["kind"]) }
func (o Object) name() string         { return asString(o.metadata()["name"]) }
func (o Object) namespace() string    { return asString(o.metadata()["namespace"]) }
func (o Object) uid() string          { return asString(o.metadata()["uid"]) }
func (o Object) generateName() string { return asString(o.metadata()["generateName"]) }

// groupKind is such as Deployment.apps, or Pod.
func (o Object) groupKind() string {
	if group, _, ok := strings.Cut(asString(o["apiVersion"]), "/"); ok {
		return o.kind() + "." + group
	}
	return o.kind()
}

func (o Object) metadata() map[string]any { return asMap(o["metadata"]) }
func (o Object) spec() map[string]any     { return asMap(o["spec"]) }
func (o Object) status() map[string]any   { return asMap(o["status"]) }

// addresses returns those that a cluster has given to a pod or service.
func (o Object) addresses() (ips []string) {
	switch o.kind() {
	case "Pod":
		if ip := asString(o.status()["podIP"]); ip != "" && ip != asString(o.status()["hostIP"]) {
			ips = append(ips, ip)
		}
	case "Service":
		if ip := asString(o.spec()["clusterIP"]); ip != "" && ip != "None" {
			ips = append(ips, ip)
		}
	}
	return ips
}

// endpoints returns the addresses in an EndpointSlice.
func (o Object) endpoints() (ips []string) {
	if o.kind() != "EndpointSlice" {
		return nil
	}
	for _, e := range asList(o["endpoints"]) {
		for _, ip := range asList(asMap(e)["addresses"]) {
			ips = append(ips, asString(ip))
		}
	}
	return ips
}

// The zero values stand for what is not there, or of another type.

func asString(v any) string {
	s, _ := v.(string)
	return s
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}
