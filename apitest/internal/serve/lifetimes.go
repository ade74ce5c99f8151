package serve

import (
	"context"
	"sync"

	"vedette.dev/apitest/internal/kinds"
)

// lifetimes tracks which custom kinds are watched, by the name of their definition. The zero value is ready for use.
type lifetimes struct {
	mu   sync.Mutex
	ends map[string]*lifetime
}

type lifetime struct {
	ctx context.Context
	now context.CancelFunc
}

// alive returns a context that ends when the definition of a kind is deleted. For a built-in kind it never ends.
func (l *lifetimes) alive(k *kinds.Kind) context.Context {
	if !k.Custom {
		return context.Background()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := k.Plural + "." + k.Group
	e := l.ends[name]
	if e == nil {
		e = &lifetime{}
		e.ctx, e.now = context.WithCancel(context.Background())
		if l.ends == nil {
			l.ends = map[string]*lifetime{}
		}
		l.ends[name] = e
	}
	return e.ctx
}

// end ends the watches of a kind.
func (l *lifetimes) end(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.ends[name]; e != nil {
		e.now()
		delete(l.ends, name)
	}
}
