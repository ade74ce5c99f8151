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

// distinct reports whether the members from begin on have different names.
func (s *stack) distinct(begin int) bool {
	ordered := true
	for i := begin + 1; i < s.n && ordered; i++ {
		ordered = s.at(i-1).name < s.at(i).name
	}
	if ordered {
		return true
	}
	const few = 24
	if s.n-begin > few {
		names := make(map[string]struct{}, s.n-begin)
		for i := begin; i < s.n; i++ {
			names[s.at(i).name] = struct{}{}
		}
		return len(names) == s.n-begin
	}
	for i := begin + 1; i < s.n; i++ {
		for j := begin; j < i; j++ {
			if s.at(i).name == s.at(j).name {
				return false
			}
		}
	}
	return true
}
