package load

// Random is splitmix64: quick, and the same in every version of Go.
type Random uint64

// NewRandom gives independent numbers for different streams of one seed.
func NewRandom(seed, stream uint64) *Random {
	r := Random(seed)
	r = Random(r.Next() ^ stream*0xd1342543de82ef95)
	return &r
}

// Next is any number.
func (r *Random) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below is a number from 0 to n-1.
func (r *Random) Below(n int) int { return int(r.Next() % uint64(n)) }

func (r *Random) chance(percent int) bool { return r.Below(100) < percent }

func (r *Random) pick(from []string) string { return from[r.Below(len(from))] }

// Letters are those that Kubernetes takes for generated names: no vowels, so that no words come out.
func (r *Random) Letters(n int) string {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	text := make([]byte, n)
	bits := r.Next()
	for i := range text {
		text[i] = safe[bits%uint64(len(safe))]
		bits /= uint64(len(safe))
	}
	return string(text)
}

// Hex has n digits.
func (r *Random) Hex(n int) string { return string(r.hex(n)) }

func (r *Random) hex(n int) []byte {
	const digits = "0123456789abcdef"
	text := make([]byte, n)
	var bits uint64
	for i := range text {
		if i%16 == 0 {
			bits = r.Next()
		}
		text[i] = digits[bits&15]
		bits >>= 4
	}
	return text
}

// UUID is one of version 4.
func (r *Random) UUID() string {
	text := r.hex(36)
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	text[14] = '4'
	text[19] = "89ab"[text[19]&3]
	return string(text)
}

// distinct are some of the numbers below n, none twice.
func (r *Random) distinct(n, count int) []int {
	seen := make([]bool, n)
	var out []int
	for len(out) < count {
		if at := r.Below(n); !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}
