package cache

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MetaIndexFunc computes the values under which an index files an object, from its metadata.
type MetaIndexFunc func(m metav1.Object) ([]string, error)

// IndexByMeta makes an IndexFunc of a function that looks at metadata only: name and namespace, labels, annotations, owners. In
// packed storage objects need not be decoded for it.
//
//go:noinline
func IndexByMeta(f MetaIndexFunc) IndexFunc {
	return func(obj interface{}) ([]string, error) {
		m, err := metaOf(obj)
		if err != nil {
			return nil, err
		}
		return f(m)
	}
}

// byMetaCode are the functions that look at metadata only. All that IndexByMeta has made have the same code.
var byMetaCode = [...]uintptr{indexCode(MetaNamespaceIndexFunc), indexCode(IndexByMeta(nil))}

func indexCode(f IndexFunc) uintptr { return reflect.ValueOf(f).Pointer() }

// isByMeta reports whether a function is known to read metadata only.
func (f IndexFunc) isByMeta() bool {
	return f != nil && (indexCode(f) == byMetaCode[0] || indexCode(f) == byMetaCode[1])
}
