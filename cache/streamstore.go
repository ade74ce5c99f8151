package cache

import "k8s.io/apimachinery/pkg/watch"

// streamStore is a Stream as its reflector sees it.
type streamStore struct{ *Stream }

var (
	_ ReflectorStore = streamStore{}
	_ refiller       = streamStore{}
	_ frameTaker     = streamStore{}
)

func (t streamStore) refill() refill { return newStreamRefill(t.Stream) }

// The others are there because a ReflectorStore has them: a reflector that can use the two above calls none of them.

func (t streamStore) Add(obj interface{}) error {
	return t.take(&event{what: watch.Added, object: obj})
}

func (t streamStore) Update(obj interface{}) error {
	return t.take(&event{what: watch.Modified, object: obj})
}

func (t streamStore) Delete(obj interface{}) error {
	return t.take(&event{what: watch.Deleted, object: obj})
}

func (t streamStore) Replace(list []interface{}, resourceVersion string) error {
	r := t.refill()
	for _, obj := range list {
		key, err := MetaNamespaceKeyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		if err := r.add(&arrival{key: key, id: stampOf(obj), obj: obj, load: func() (any, error) { return obj, nil }}); err != nil {
			return err
		}
	}
	return r.commit(resourceVersion)
}

func (t streamStore) Resync() error { return nil } // partitions do it
