package cache

import (
	"errors"
	"fmt"
	"time"

	"vedette.dev/internal/table"
)

func (s *informer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

func (s *informer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

func (s *informer) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, errors.New("the handler is nil")
	}
	l := newListener(handler, options, s.log())
	l.resync.requested = s.options.ResyncPeriod
	if options.ResyncPeriod != nil {
		l.resync.requested = *options.ResyncPeriod
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	replay := func() *table.View {
		v := s.indexer.table.All()
		return &v
	}
	if !s.processor.add(l, replay) {
		return nil, fmt.Errorf("handler %T was not added to the informer of %s because it has stopped already", handler, s.describe())
	}
	return l, nil
}

func (s *informer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	l, ok := handle.(*listener)
	if !ok {
		return fmt.Errorf("invalid key type %T: it is no handle of an informer of this package", handle)
	}
	s.processor.remove(l)
	return nil
}

// ShutdownChan is closed when the handler has been called for the last time.
func (l *listener) ShutdownChan() <-chan struct{} { return l.ended }

// ShutDownEventHandler removes a handler and waits until it has been called for the last time. It must not be called by
// that handler.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	ending, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return fmt.Errorf("invalid handle type %T: it cannot be waited for", handle)
	}
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	<-ending.ShutdownChan()
	return nil
}

// HandlerStateOf tells how far a handler is. It is the zero one for a registration that is not of this package.
func HandlerStateOf(handle ResourceEventHandlerRegistration) HandlerState {
	if r, ok := handle.(interface{ state() HandlerState }); ok {
		return r.state()
	}
	return HandlerState{}
}
