package cache

// TransformFunc changes an object before anyone else sees it, for example to drop what nobody reads. It owns what it is
// given and may change it in place. It should be quick, and give the same when it is called with its own result.
//
// A queue calls it once an object, in the goroutine that adds the object, and without a lock. It is not given tombstones, nor
// objects that are queued again by a resync: it has seen them.
type TransformFunc func(interface{}) (interface{}, error)
