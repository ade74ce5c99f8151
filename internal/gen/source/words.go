package source

import (
	"strings"
	"unicode"
)

// words writes a name as English: "ReplicaSets" is "replica sets", "CSIDrivers" is "CSI drivers".
func words(name string) string {
	var all []string
	for rest := []rune(name); len(rest) > 0; {
		n := wordEnd(rest)
		word := string(rest[:n])
		if acronym := n > 1 && unicode.IsUpper(rest[1]); !acronym {
			word = strings.ToLower(word)
		}
		all, rest = append(all, word), rest[n:]
	}
	return strings.Join(all, " ")
}

// wordEnd is where the first word ends: before a capital that comes after a small letter, or that begins a word after an
// acronym. The plural s of an acronym stays with it.
func wordEnd(name []rune) int {
	for i := 1; i < len(name); i++ {
		if unicode.IsUpper(name[i]) && (unicode.IsLower(name[i-1]) || beginsWord(name[i:])) {
			return i
		}
	}
	return len(name)
}

func beginsWord(name []rune) bool {
	small := 1
	for small < len(name) && unicode.IsLower(name[small]) {
		small++
	}
	return small > 2 || small == 2 && name[1] != 's'
}

// LowerFirst writes a name as one that is not exported.
func LowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
