package gentype

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/testing"
)

// ToPointerSlice returns pointers to the elements of src, or nil for nil.
func ToPointerSlice[T any](src []T) []*T {
	if src == nil {
		return nil
	}
	result := make([]*T, len(src))
	for i := range src {
		result[i] = &src[i]
	}
	return result
}

// FromPointerSlice returns copies of what the elements of src point to, or nil for nil.
func FromPointerSlice[T any](src []*T) []T {
	if src == nil {
		return nil
	}
	result := make([]T, len(src))
	for i, p := range src {
		result[i] = *p
	}
	return result
}

// unexpected is the error for a reactor that returned an object of another type, unless it returned an error too.
func unexpected(action testing.Action, obj runtime.Object, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("a reactor returned a %T for %s %s", obj, action.GetVerb(), action.GetResource().Resource)
}
