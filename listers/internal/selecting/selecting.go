// Package selecting finds the objects that select another by its labels, as a daemon set selects its pods.
package selecting

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/listers"
)

// Search is what is looked for.
type Search[T object] struct {
	// What is the name of the kind in errors, and Of that of the kind which is selected.
	What, Of string
	// Selector reads the selector of an object. One that it cannot read selects nothing.
	Selector func(T) (labels.Selector, error)
	// Unlabelled means that objects without labels may be selected. Otherwise it is an error.
	Unlabelled bool
	// EmptyIsAll means that an empty selector selects everything. Otherwise it selects nothing.
	EmptyIsAll bool
}

type object interface {
	metav1.Object
	runtime.Object
}

// In returns the objects of a lister whose selectors match of. It is an error if there are none: the caller expects an
// owner.
func (s Search[T]) In(lister listers.Lister[T], of metav1.Object) ([]T, error) {
	if !s.Unlabelled && len(of.GetLabels()) == 0 {
		return nil, fmt.Errorf("no %s selects %s %s, which has no labels", s.What, s.Of, of.GetName())
	}
	all, err := lister.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var found []T
	for _, one := range all {
		if one.GetNamespace() == of.GetNamespace() && s.selects(one, of) {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no %s selects %s %s in namespace %s with the labels %v",
			s.What, s.Of, of.GetName(), of.GetNamespace(), of.GetLabels())
	}
	return found, nil
}

func (s Search[T]) selects(one T, of metav1.Object) bool {
	selector, err := s.Selector(one)
	if err != nil || selector.Empty() && !s.EmptyIsAll {
		return false
	}
	return selector.Matches(labels.Set(of.GetLabels()))
}
