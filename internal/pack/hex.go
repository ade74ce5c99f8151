package pack

// notHex is what hexValue has for other letters.
const notHex = 0xff

const hexLetters = "0123456789abcdef"

// hexValue has the value of each digit. Only small letters are digits: what is unpacked must be what was packed.
var hexValue = func() (values [256]byte) {
	for i := range values {
		values[i] = notHex
	}
	for i := range hexLetters {
		values[hexLetters[i]] = byte(i)
	}
	return values
}()

// hexLength returns with how many digits b begins.
func hexLength(b []byte) int {
	for i, c := range b {
		if hexValue[c] == notHex {
			return i
		}
	}
	return len(b)
}

// isUUID says whether b begins with a UUID in its usual form.
func isUUID(b []byte) bool {
	if len(b) < 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return false
	}
	return hexLength(b[:8]) == 8 && hexLength(b[9:13]) == 4 && hexLength(b[14:18]) == 4 && hexLength(b[19:23]) == 4 &&
		hexLength(b[24:36]) == 12
}

// appendPairs writes two digits in a byte. There is an even number of them.
func appendPairs(dst, digits []byte) []byte {
	for i := 0; i+1 < len(digits); i += 2 {
		dst = append(dst, hexValue[digits[i]]<<4|hexValue[digits[i+1]])
	}
	return dst
}

// putDigits is the way back. dst is twice as long as pairs.
func putDigits(dst []byte, pairs string) {
	for i := range len(pairs) {
		p := pairs[i]
		dst[2*i], dst[2*i+1] = hexLetters[p>>4], hexLetters[p&15]
	}
}

// putUUID is the way back of a UUID: 16 bytes to 36.
func putUUID(dst []byte, pairs string) {
	putDigits(dst[0:8], pairs[0:4])
	putDigits(dst[9:13], pairs[4:6])
	putDigits(dst[14:18], pairs[6:8])
	putDigits(dst[19:23], pairs[8:10])
	putDigits(dst[24:36], pairs[10:16])
	dst[8], dst[13], dst[18], dst[23] = '-', '-', '-', '-'
}
