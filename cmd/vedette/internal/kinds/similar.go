package kinds

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxSimilar is how many names are suggested at most.
const maxSimilar = 3

// similar are the resources whose names come close to one, the closest first.
func (s *Served) similar(name schema.GroupResource) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	seen := make(map[string]bool)
	for _, list := range s.lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			full := gv.WithResource(r.Name).GroupResource().String()
			if strings.Contains(r.Name, "/") || seen[full] {
				continue
			}
			seen[full] = true
			far := min(distance(name.Resource, r.Name), distance(name.Resource, r.SingularName), distance(name.Resource, strings.ToLower(r.Kind)))
			if far == 0 || far <= max(1, len(name.Resource)/3) || begins(r.Name, name.Resource) {
				found = append(found, candidate{full, far})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range found[:min(len(found), maxSimilar)] {
		names = append(names, c.name)
	}
	return names
}

// begins reports whether the input may be the beginning of a name.
func begins(name, typed string) bool { return len(typed) >= 3 && strings.HasPrefix(name, typed) }

// distance is how many letters must be changed, added, left out or swapped with the next to make b of a.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
