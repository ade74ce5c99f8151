package serve

import (
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"

	"vedette.dev/apitest/internal/kinds"
)

// filter selects objects of a resource. Its fields are nil if there is no such selector.
type filter struct {
	namespace string
	kind      *kinds.Kind
	labels    labels.Selector
	fields    fields.Selector
	shard     sharding.Selector
}

func (s *Server) newFilter(r *Request, stored *kinds.Kind, namespace string, opts *metainternal.ListOptions) (*filter, error) {
	f := &filter{namespace: namespace, kind: stored}
	if opts.LabelSelector != nil && !opts.LabelSelector.Empty() {
		f.labels = opts.LabelSelector
	}
	if opts.FieldSelector != nil && !opts.FieldSelector.Empty() {
		f.fields = opts.FieldSelector
	}
	if s.config.ShardSelectors && opts.ShardSelector != "" {
		shard, err := parseShardSelector(opts.ShardSelector)
		if err != nil {
			return nil, err
		}
		f.shard = shard
	}
	return f, nil
}

// selects reports whether there is a selector at all, apart from the namespace.
func (f *filter) selects() bool { return f.labels != nil || f.fields != nil || f.shard != nil }

// matches reports whether the filter matches an object in its namespace.
func (f *filter) matches(obj runtime.Object) bool {
	if f.labels != nil && !f.labels.Matches(labels.Set(metaOf(obj).GetLabels())) {
		return false
	}
	if f.fields != nil && !f.fields.Matches(f.kind.Fields(obj)) {
		return false
	}
	if f.shard != nil {
		if matches, err := f.shard.Matches(obj); err != nil || !matches {
			return false
		}
	}
	return true
}
