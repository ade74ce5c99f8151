package clusterdiff

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// names replaces what stands for an object of one cluster by a name that is the same in both clusters.
type names struct {
	// known has generated names, UIDs and addresses.
	known map[string]string
	// prefixes begin the names that controllers generate: those of their owners.
	prefixes map[string]bool
}

// Keys of an object are tokens too, such as k:{"uid":"…"} in managed fields.
var token = regexp.MustCompile(`[A-Za-z0-9](?:[-.A-Za-z0-9]*[A-Za-z0-9])?`)

var (
	uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	// generated is a name that the API server has made of a prefix: five letters that form no words.
	generated = regexp.MustCompile(`^(.+-)[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	timestamp = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})`)
)

func isGenerated(name, prefix string) bool {
	parts := generated.FindStringSubmatch(name)
	return parts != nil && parts[1] == prefix
}

// findNames reads the objects of a cluster.
func findNames(objects []Object) *names {
	n := &names{known: map[string]string{}, prefixes: map[string]bool{}}
	groups := map[string][]Object{}
	for _, o := range objects {
		// The API server has made the name, unless the controller has given it as well: pods of a StatefulSet have both.
		if prefix := o.generateName(); prefix != "" && isGenerated(o.name(), prefix) {
			n.prefixes[prefix] = true
			group := fmt.Sprintf("%s/%s/%s", o.groupKind(), o.namespace(), prefix)
			groups[group] = append(groups[group], o)
			continue
		}
		n.prefixes[o.name()+"-"] = true
	}
	for _, group := range groups {
		n.number(group)
	}
	// An address belongs to a pod or to a service. A pod of the host's network has the address of its node, which is chosen by the work.
	for _, o := range objects {
		for _, ip := range o.addresses() {
			n.known[ip] = fmt.Sprintf("ip(%s)", n.keyOf(o))
		}
	}
	for _, o := range objects {
		n.known[o.uid()] = fmt.Sprintf("uid(%s)", n.keyOf(o))
	}
	return n
}

// number names objects with the same prefix and kind: by their order, once they have been sorted by their content. Objects with the same
// content can be exchanged for each other, such as two pods of a ReplicaSet.
func (n *names) number(group []Object) {
	contents := map[string]string{}
	for _, o := range group {
		contents[o.uid()] = n.anonymous(o)
	}
	slices.SortFunc(group, func(a, b Object) int { return cmp.Compare(contents[a.uid()], contents[b.uid()]) })
	for i, o := range group {
		n.known[o.name()] = fmt.Sprintf("%s#%d", o.generateName(), i+1)
	}
}

// anonymous returns the content of an object without anything that stands for this or another object.
func (n *names) anonymous(o Object) string {
	blank := &names{known: map[string]string{o.name(): "<name>"}, prefixes: n.prefixes}
	for _, ip := range o.addresses() {
		blank.known[ip] = "<ip>"
	}
	for _, ip := range o.endpoints() {
		blank.known[ip] = "<ip>"
	}
	return content(blank.normalise(o))
}

// keyOf returns the name of an object for people, which is the same in both clusters.
func (n *names) keyOf(o Object) string {
	return fmt.Sprintf("%s/%s/%s", o.groupKind(), o.namespace(), n.text(o.name()))
}

// text replaces what is in a text.
func (n *names) text(text string) string {
	text = timestamp.ReplaceAllLiteralString(text, "<time>")
	if strings.Contains(text, "-----BEGIN CERTIFICATE-----") {
		return "<certificate>"
	}
	return token.ReplaceAllStringFunc(text, func(word string) string {
		if name, ok := n.known[word]; ok {
			return name
		}
		if uid.MatchString(word) {
			return "<uid of an object that is gone>"
		}
		if parts := generated.FindStringSubmatch(word); parts != nil && n.prefixes[parts[1]] {
			return parts[1] + "<random>" // in the message about a pod that could not be created
		}
		return word
	})
}

// value replaces what is in a value of JSON, in a copy.
func (n *names) value(v any) any {
	switch v := v.(type) {
	case string:
		return n.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[n.text(key)] = n.value(v[key])
		}
		return out
	default:
		return v
	}
}

// normalise returns an object as it is compared.
func (n *names) normalise(o Object) Object {
	out := Object(n.value(map[string]any(o)).(map[string]any))
	for _, r := range rules {
		if r.kinds == nil || slices.Contains(r.kinds, out.kind()) {
			r.apply(out)
		}
	}
	return out
}
