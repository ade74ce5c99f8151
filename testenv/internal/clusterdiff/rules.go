package clusterdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// rule is a normalisation. Names, UIDs, addresses, times and certificates have been replaced before, in every text.
type rule struct {
	reason string
	// kinds are those it is for, nil for all.
	kinds []string
	apply func(o Object)
}

var rules = []rule{
	{
		reason: "resource versions count the writes to a cluster, also those of heartbeats",
		apply:  func(o Object) { drop(o, "resourceVersion") },
	},
	{
		reason: "managers of fields are in the order of their times",
		apply:  func(o Object) { sortList(o.metadata(), "managedFields") },
	},
	{
		reason: "conditions are in the order in which they came to be; controllers add some of them concurrently",
		apply:  func(o Object) { sortList(o.status(), "conditions") },
	},
	{
		reason: "endpoints come from a map",
		kinds:  []string{"EndpointSlice"},
		apply:  func(o Object) { sortList(o, "endpoints") },
	},
	{
		reason: "addresses are in the order of their bytes",
		kinds:  []string{"Endpoints"},
		apply: func(o Object) {
			for _, subset := range asList(o["subsets"]) {
				sortList(asMap(subset), "addresses")
				sortList(asMap(subset), "notReadyAddresses")
			}
		},
	},
	{
		reason: "it is there if the last write followed a pod that became ready, and not if that was one with an earlier write: writes are batched by time",
		kinds:  []string{"Endpoints", "EndpointSlice"},
		apply:  dropTriggerTime,
	},
	{
		reason: "the port of the API server was chosen at random",
		kinds:  []string{"Lease", "Service"},
		apply:  blankServerPort,
	},
	{
		reason: "a ReplicaSet is scaled in as many steps as its pods take to become ready, an EndpointSlice is written in as many, and the generation counts them",
		kinds:  []string{"ReplicaSet", "EndpointSlice"},
		apply:  blankGeneration,
	},
	{
		reason: "a token is signed for one service account of one cluster",
		kinds:  []string{"Secret"},
		apply:  blankToken,
	},
}

// blankGeneration leaves only whether the controller has seen the last generation.
func blankGeneration(o Object) {
	generation, observed := o.metadata()["generation"], o.status()["observedGeneration"]
	if generation == nil {
		return
	}
	o.metadata()["generation"] = "<generation>"
	if observed == generation {
		o.status()["observedGeneration"] = "<generation>"
	}
}

// dropTriggerTime removes an annotation, and that it is managed.
func dropTriggerTime(o Object) {
	const name = "endpoints.kubernetes.io/last-change-trigger-time"
	dropEmpty(o.metadata(), "annotations", name)
	for _, entry := range asList(o.metadata()["managedFields"]) {
		metadata := asMap(asMap(asMap(entry)["fieldsV1"])["f:metadata"])
		annotations := asMap(metadata["f:annotations"])
		if annotations["f:"+name] != nil && len(annotations) == 2 {
			delete(annotations, ".")
		}
		dropEmpty(metadata, "f:annotations", "f:"+name)
	}
}

// dropEmpty removes a key from a map in another, and the map if nothing else is in it.
func dropEmpty(in map[string]any, name, key string) {
	m := asMap(in[name])
	delete(m, key)
	if m != nil && len(m) == 0 {
		delete(in, name)
	}
}

func blankServerPort(o Object) {
	const address = "kubernetes.io/peer-advertise-address"
	if annotations := asMap(o.metadata()["annotations"]); annotations[address] != nil {
		annotations[address] = "<address>"
	}
	if o.kind() == "Service" && o.namespace() == "default" && o.name() == "kubernetes" {
		for _, port := range asList(o.spec()["ports"]) {
			asMap(port)["targetPort"] = "<port>"
		}
	}
}

func blankToken(o Object) {
	if o["type"] != "kubernetes.io/service-account-token" {
		return
	}
	for _, key := range []string{"token", "ca.crt"} {
		if data := asMap(o["data"]); data[key] != nil {
			data[key] = "<" + key + ">"
		}
	}
}

// drop removes a key from all maps in a value.
func drop(v any, key string) {
	switch v := v.(type) {
	case Object:
		drop(map[string]any(v), key)
	case map[string]any:
		delete(v, key)
		for _, each := range v {
			drop(each, key)
		}
	case []any:
		for _, each := range v {
			drop(each, key)
		}
	}
}

// sortList sorts a list in a map by its content.
func sortList(in map[string]any, key string) {
	slices.SortFunc(asList(in[key]), func(a, b any) int { return cmp.Compare(content(a), content(b)) })
}

// content returns a value as JSON.
func content(v any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil { // with sorted keys
		panic(fmt.Sprintf("clusterdiff: a value that was JSON is not: %v", err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}
