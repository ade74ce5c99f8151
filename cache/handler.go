package cache

// ResourceEventHandler hears of changes, from one goroutine at a time. What it is given is shared and must not be changed.
type ResourceEventHandler interface {
	// OnAdd is called for an object that the handler has not heard of. isInInitialList tells that it was there before.
	OnAdd(obj interface{}, isInInitialList bool)
	// OnUpdate is called for an object that changed, or, with the same object twice, to look at it again (resync). Several
	// changes may have been merged into one.
	OnUpdate(oldObj, newObj interface{})
	// OnDelete is called for an object that is gone, with its last state or, if nobody saw that, a DeletedFinalStateUnknown.
	OnDelete(obj interface{})
}

// ResourceEventHandlerFuncs is a handler made of functions, of which some may be nil.
type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj interface{})
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// ResourceEventHandlerDetailedFuncs is ResourceEventHandlerFuncs with an AddFunc that is told of the initial list.
type ResourceEventHandlerDetailedFuncs struct {
	AddFunc    func(obj interface{}, isInInitialList bool)
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerDetailedFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// FilteringResourceEventHandler lets a handler see the objects that a filter lets pass, as if there were no others: one
// that begins to pass is added, and one that no longer does is deleted. The filter must be quick and always give the
// same answer for the same object. It may be asked about a DeletedFinalStateUnknown.
type FilteringResourceEventHandler struct {
	FilterFunc func(obj interface{}) bool
	Handler    ResourceEventHandler
}

func (r FilteringResourceEventHandler) OnAdd(obj interface{}, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj interface{}) {
	switch is, was := r.FilterFunc(newObj), r.FilterFunc(oldObj); {
	case is && was:
		r.Handler.OnUpdate(oldObj, newObj)
	case is:
		r.Handler.OnAdd(newObj, false)
	case was:
		r.Handler.OnDelete(oldObj)
	}
}

func (r FilteringResourceEventHandler) OnDelete(obj interface{}) {
	if r.FilterFunc(obj) {
		r.Handler.OnDelete(obj)
	}
}
