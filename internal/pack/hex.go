package pack

// notHex is the hexValue of a byte that is not a digit.
const notHex = 0xff

const hexLetters = "0123456789abcdef"

// hexValue has the value of each digit. Capital letters are not digits, since they would be unpacked as small ones.
var hexValue = func() (values [256]byte) {
	for i := range values {
		values[i] = notHex
	}
	for i := range hexLetters {
		values[hexLetters[i]] = byte(i)
	}
	return values
}()

// hexLength returns the number of digits at the beginning of b.
func hexLength(b []byte) int {
	for i, c := range b {
		if hexValue[c] == notHex {
			return i
		}
	}
	return len(b)
}

// isUUID reports whether b begins with a UUID in its usual form.
func isUUID(b []byte) bool {
	if len(b) < 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return false
	}
	return hexLength(b[:8]) == 8 && hexLength(b[9:13]) == 4 && hexLength(b[14:18]) == 4 && hexLength(b[19:23]) == 4 &&
		hexLength(b[24:36]) == 12
}

// appendPairs appends an even number of digits to dst, two in a byte.
func appendPairs(dst, digits []byte) []byte {
	for i := 0; i+1 < len(digits); i += 2 {
		dst = append(dst, hexValue[digits[i]]<<4|hexValue[digits[i+1]])
	}
	return dst
}

// putDigits writes the digits of pairs to dst, which is twice as long.
func putDigits(dst []byte, pairs string) {
	for i := range len(pairs) {
		p := pairs[i]
		dst[2*i], dst[2*i+1] = hexLetters[p>>4], hexLetters[p&15]
	}
}

// putUUID writes a UUID of 36 characters to dst, of 16 bytes.
func putUUID(dst []byte, pairs string) {
	putDigits(dst[0:8], pairs[0:4])
	putDigits(dst[9:13], pairs[4:6])
	putDigits(dst[14:18], pairs[6:8])
	putDigits(dst[19:23], pairs[8:10])
	putDigits(dst[24:36], pairs[10:16])
	dst[8], dst[13], dst[18], dst[23] = '-', '-', '-', '-'
}
