package ownwrites

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"vedette.dev/cache"
)

// read checks that each key is shown as it was, or is, at some version that is neither older than the store nor than what we
// were answered; and that all reads agree.
func (m *model) read() {
	view := m.tracker.Indexer()
	visible := map[string]*corev1.ConfigMap{}
	for _, key := range m.keys() {
		obj, exists, err := view.GetByKey(key)
		if err != nil {
			m.t.Fatal(err)
		}
		if exists {
			visible[key] = obj.(*corev1.ConfigMap)
		}
		_, oldest := m.at(key, max(m.floor[key], m.stored()))
		if !m.shows(key, oldest, visible[key]) {
			m.t.Fatalf("%s: shows %v, our write was at %d, the store is at %d, and this is what happened: %v",
				key, visible[key], m.floor[key], m.stored(), m.history[key])
		}
	}
	m.agree(view, visible)
}

// shows reports whether an object is the state of a key at the moment of this number, or later.
func (m *model) shows(key string, oldest int, obj *corev1.ConfigMap) bool {
	if oldest < 0 && obj == nil {
		return true
	}
	for _, at := range m.history[key][max(0, oldest):] {
		if at.obj == nil && obj == nil || at.obj != nil && obj != nil && at.obj.ResourceVersion == obj.ResourceVersion {
			return true
		}
	}
	return false
}

func (m *model) agree(view cache.Indexer, visible map[string]*corev1.ConfigMap) {
	all, namespaces, byValue := []string{}, map[string][]string{}, map[string][]string{}
	keysOf := map[string][]string{}
	for key, obj := range visible {
		all = append(all, short(obj))
		namespaces[obj.Namespace] = append(namespaces[obj.Namespace], short(obj))
		if values, err := call(colors, obj); err == nil {
			byValue[values[0]] = append(byValue[values[0]], short(obj))
			keysOf[values[0]] = append(keysOf[values[0]], key)
		}
	}
	slices.Sort(all)
	want(m.t, "List", shorts(view.List()), all)
	keys := view.ListKeys()
	slices.Sort(keys)
	want(m.t, "ListKeys", keys, slices.Sorted(maps.Keys(visible)))
	for _, namespace := range []string{"ns", "other"} {
		list, err := view.ByIndex(cache.NamespaceIndex, namespace)
		slices.Sort(namespaces[namespace])
		if err != nil || !slices.Equal(shorts(list), append([]string{}, namespaces[namespace]...)) {
			m.t.Fatalf("ByIndex(%s): %v %v, want %v", namespace, shorts(list), err, namespaces[namespace])
		}
	}
	for _, color := range []string{"red", "green", "panic"} {
		slices.Sort(byValue[color])
		slices.Sort(keysOf[color])
		list, err := view.ByIndex(byColor, color)
		if err != nil || !slices.Equal(shorts(list), append([]string{}, byValue[color]...)) {
			m.t.Fatalf("ByIndex(%s): %v %v, want %v", color, shorts(list), err, byValue[color])
		}
		got, err := view.IndexKeys(byColor, color)
		if err != nil || !slices.Equal(got, append([]string{}, keysOf[color]...)) {
			m.t.Fatalf("IndexKeys(%s): %v %v, want %v", color, got, err, keysOf[color])
		}
	}
	like, err := view.Index(byColor, configMap("x", "", 1, "red"))
	if err != nil || !slices.Equal(shorts(like), append([]string{}, byValue["red"]...)) {
		m.t.Fatalf("Index: %v %v, want %v", shorts(like), err, byValue["red"])
	}
	values := view.ListIndexFuncValues(byColor)
	slices.Sort(values)
	want(m.t, "ListIndexFuncValues", values, slices.Sorted(maps.Keys(byValue)))
}

// listen calls the slow handler for a key, with its previous state and the state in the store.
func (m *model) listen() {
	key := rapid.SampledFrom(m.keys()).Draw(m.t, "key")
	is, to := m.at(key, m.stored())
	was := m.delivered[key]
	m.delivered[key] = is
	_, from := m.at(key, was.version)
	if to < 0 || from >= to {
		return
	}
	between := m.history[key][from+1 : to+1]
	foreign := slices.ContainsFunc(between, func(at moment) bool { return !at.own })
	unproven := len(m.answers) > 0 || slices.ContainsFunc(between, func(at moment) bool { return !at.exact })
	var own bool
	switch {
	case was.obj != nil && is.obj != nil && was.uid == is.uid:
		own = m.tracker.OwnUpdate(was.obj, is.obj)
	case was.obj == nil && is.obj != nil:
		// Objects created and deleted in between are not delivered.
		first := slices.IndexFunc(between, func(at moment) bool { return at.uid == is.uid })
		foreign = slices.ContainsFunc(between[first:], func(at moment) bool { return !at.own })
		unproven = len(m.answers) > 0 || slices.ContainsFunc(between[first:], func(at moment) bool { return !at.exact })
		own = m.tracker.OwnAdd(is.obj)
	case was.obj != nil && is.obj == nil && was.uid == is.uid:
		// For a deletion, earlier changes do not matter.
		end := between[len(between)-1]
		foreign, unproven = !end.own, len(m.answers) > 0 || !end.exact
		own = m.tracker.OwnDelete(m.gone(key, is))
	default:
		return
	}
	if own && foreign {
		m.t.Fatalf("%s: from %v to %v is taken for our own, but this happened: %v", key, was, is, between)
	}
	if !own && !foreign && !unproven {
		m.t.Fatalf("%s: from %v to %v is our own", key, was, is)
	}
}
