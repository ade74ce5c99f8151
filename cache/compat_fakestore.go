package cache

// FakeCustomStore is a [Store] that calls functions, for tests. Functions that are nil do nothing.
type FakeCustomStore struct {
	AddFunc                          func(obj interface{}) error
	UpdateFunc                       func(obj interface{}) error
	DeleteFunc                       func(obj interface{}) error
	ListFunc                         func() []interface{}
	ListKeysFunc                     func() []string
	GetFunc                          func(obj interface{}) (item interface{}, exists bool, err error)
	GetByKeyFunc                     func(key string) (item interface{}, exists bool, err error)
	ReplaceFunc                      func(list []interface{}, resourceVersion string) error
	ResyncFunc                       func() error
	BookmarkFunc                     func(rv string)
	LastStoreSyncResourceVersionFunc func() string
}

var _ Store = (*FakeCustomStore)(nil)

// Add calls AddFunc.
func (f *FakeCustomStore) Add(obj interface{}) error { return callOn(f.AddFunc, obj) }

// Update calls UpdateFunc.
func (f *FakeCustomStore) Update(obj interface{}) error { return callOn(f.UpdateFunc, obj) }

// Delete calls DeleteFunc.
func (f *FakeCustomStore) Delete(obj interface{}) error { return callOn(f.DeleteFunc, obj) }

// List calls ListFunc.
func (f *FakeCustomStore) List() []interface{} { return call(f.ListFunc) }

// ListKeys calls ListKeysFunc.
func (f *FakeCustomStore) ListKeys() []string { return call(f.ListKeysFunc) }

// Get calls GetFunc.
func (f *FakeCustomStore) Get(obj interface{}) (item interface{}, exists bool, err error) {
	if f.GetFunc == nil {
		return nil, false, nil
	}
	return f.GetFunc(obj)
}

// GetByKey calls GetByKeyFunc.
func (f *FakeCustomStore) GetByKey(key string) (item interface{}, exists bool, err error) {
	if f.GetByKeyFunc == nil {
		return nil, false, nil
	}
	return f.GetByKeyFunc(key)
}

// Replace calls ReplaceFunc.
func (f *FakeCustomStore) Replace(list []interface{}, resourceVersion string) error {
	if f.ReplaceFunc == nil {
		return nil
	}
	return f.ReplaceFunc(list, resourceVersion)
}

// Resync calls ResyncFunc.
func (f *FakeCustomStore) Resync() error { return call(f.ResyncFunc) }

// Bookmark calls BookmarkFunc.
func (f *FakeCustomStore) Bookmark(rv string) {
	if f.BookmarkFunc != nil {
		f.BookmarkFunc(rv)
	}
}

// LastStoreSyncResourceVersion calls LastStoreSyncResourceVersionFunc.
func (f *FakeCustomStore) LastStoreSyncResourceVersion() string {
	return call(f.LastStoreSyncResourceVersionFunc)
}

func call[R any](f func() R) (result R) {
	if f != nil {
		result = f()
	}
	return result
}

func callOn(f func(any) error, obj any) error {
	if f == nil {
		return nil
	}
	return f(obj)
}
