package restmapper

// GroupsKept is how many groups a mapper knows of, existing or not.
func GroupsKept(l *Lazy) int {
	inner := l.ResettableRESTMapperWithContext.(*lazy)
	inner.mu.Lock()
	defer inner.mu.Unlock()
	return len(inner.groups)
}
