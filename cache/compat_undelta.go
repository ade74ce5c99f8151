package cache

// UndeltaStore is a [Store] that calls a function with its contents after each change. Calls may be concurrent, and two
// of them may have the same argument.
type UndeltaStore struct {
	Store
	PushFunc func([]interface{})
}

var _ Store = (*UndeltaStore)(nil)

// NewUndeltaStore returns an empty [UndeltaStore].
func NewUndeltaStore(pushFunc func([]interface{}), keyFunc KeyFunc) *UndeltaStore {
	return &UndeltaStore{Store: NewStore(keyFunc), PushFunc: pushFunc}
}

// Add stores an object and pushes.
func (u *UndeltaStore) Add(obj interface{}) error { return u.push(u.Store.Add(obj)) }

// Update stores an object and pushes.
func (u *UndeltaStore) Update(obj interface{}) error { return u.push(u.Store.Update(obj)) }

// Delete removes an object and pushes.
func (u *UndeltaStore) Delete(obj interface{}) error { return u.push(u.Store.Delete(obj)) }

// Replace replaces the contents with the list, and pushes.
func (u *UndeltaStore) Replace(list []interface{}, resourceVersion string) error {
	return u.push(u.Store.Replace(list, resourceVersion))
}

// push calls PushFunc if a change was made.
func (u *UndeltaStore) push(err error) error {
	if err == nil {
		u.PushFunc(u.List())
	}
	return err
}
