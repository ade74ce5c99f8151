package cache

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podAt makes a pod from name@version.
func podAt(text string) *corev1.Pod {
	name, version, _ := strings.Cut(text, "@")
	p := pod("", name, version)
	p.UID = types.UID("uid-" + name)
	return p
}

// brokenAt is a pod that has a name and cannot be decoded.
func brokenAt(text string) map[string]any {
	name, version, _ := strings.Cut(text, "@")
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name, "resourceVersion": version, "uid": "uid-" + name},
		"spec":     "broken",
	}
}

// listOf makes a list from words like "10 a@1 broken:b@2 continue=next".
func listOf(words []string) any {
	meta := map[string]any{"resourceVersion": words[0]}
	items := []any{}
	for _, word := range words[1:] {
		if next, ok := strings.CutPrefix(word, "continue="); ok {
			meta["continue"] = next
		} else if broken, ok := strings.CutPrefix(word, "broken:"); ok {
			items = append(items, brokenAt(broken))
		} else {
			items = append(items, podAt(word))
		}
	}
	return map[string]any{"apiVersion": "v1", "kind": "PodList", "metadata": meta, "items": items}
}

// eventJSON makes an event from words like "added a@5".
func eventJSON(words []string) ([]byte, error) {
	var object any
	what := strings.ToUpper(words[0])
	switch words[0] {
	case "added", "modified", "deleted":
		p := podAt(words[1])
		p.APIVersion, p.Kind = "v1", "Pod"
		object = p
	case "broken":
		what, object = "MODIFIED", brokenAt(words[1])
	case "deletedbroken":
		what, object = "DELETED", brokenAt(words[1])
	case "bookmark":
		p := pod("", "", words[1])
		p.APIVersion, p.Kind = "v1", "Pod"
		if slices.Contains(words, "end") {
			p.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		}
		object = p
	case "error":
		object = statusFor(words[1:])
	default:
		return nil, fmt.Errorf("%s is not something that a server does", words[0])
	}
	return json.Marshal(map[string]any{"type": what, "object": object})
}

// heardStore is a store whose calls are written down.
type heardStore struct {
	Store
	s     *script
	fails atomic.Bool // Resync does
}

func (h *heardStore) Add(obj any) error {
	h.s.hear("add %s", nameAt(obj))
	return h.Store.Add(obj)
}

func (h *heardStore) Update(obj any) error {
	h.s.hear("update %s", nameAt(obj))
	return h.Store.Update(obj)
}

func (h *heardStore) Delete(obj any) error {
	if err := h.Store.Delete(obj); err != nil {
		return err
	}
	h.s.hear("delete %s", nameAt(obj))
	return nil
}

func (h *heardStore) Replace(list []any, version string) error {
	names := []string{}
	for _, obj := range list {
		names = append(names, " "+nameAt(obj))
	}
	slices.Sort(names)
	h.s.hear("replace %s:%s", version, strings.Join(names, ""))
	return h.Store.Replace(list, version)
}

func (h *heardStore) Resync() error {
	h.s.hear("resync")
	if h.fails.Load() {
		return errBad
	}
	return nil
}

func (h *heardStore) UpdateResourceVersion(string) {}

// Bookmark hides that of Store, which returns no error.
func (h *heardStore) Bookmark(version string) error {
	h.s.hear("bookmark %s", version)
	return nil
}

var (
	_ ReflectorStore         = (*heardStore)(nil)
	_ ReflectorBookmarkStore = (*heardStore)(nil)
	_ ResourceVersionUpdater = (*heardStore)(nil)
)

func nameAt(obj any) string {
	p := obj.(*corev1.Pod)
	return p.Name + "@" + p.ResourceVersion
}
