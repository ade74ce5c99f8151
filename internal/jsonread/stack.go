package jsonread

// stack has the members of the objects and lists that have begun, the innermost last. So it is known how many there are when a
// map or a list is made. The first ones are on the stack of the goroutine, where they cost nothing.
type stack struct {
	n    int
	near [64]member
	far  []member
}

// member is one of an object. Those of a list have no name.
type member struct {
	name  string
	value any
}

func (s *stack) push(m member) {
	if s.n < len(s.near) {
		s.near[s.n] = m
	} else {
		s.far = append(s.far, m)
	}
	s.n++
}

func (s *stack) at(i int) *member {
	if i < len(s.near) {
		return &s.near[i]
	}
	return &s.far[i-len(s.near)]
}

// cut forgets all but n of them.
func (s *stack) cut(n int) {
	s.n = n
	s.far = s.far[:max(0, n-len(s.near))]
}
