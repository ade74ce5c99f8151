package wirefilter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// part is a step of a path: the name of a field, or a key of a map.
type part struct {
	name string
	key  bool
	end  int // where it ends in the path, for errors
}

// parse cuts a path such as metadata.annotations[example.com/owner] into its parts.
func parse(path string) ([]part, error) {
	if path == "" {
		return nil, fmt.Errorf("a path is empty; it must name a field, such as metadata.labels")
	}
	if strings.ContainsRune(path, utf8.RuneError) {
		return nil, fmt.Errorf("the path %q is not valid text", path) // and would not be equal to what a decoder makes of it
	}
	var parts []part
	for at := 0; at < len(path); {
		p, err := parseOne(path, at, at == 0)
		if err != nil {
			return nil, fmt.Errorf("the path %q %w", path, err)
		}
		parts = append(parts, p)
		at = p.end
	}
	return parts, nil
}

func parseOne(path string, at int, first bool) (part, error) {
	rest := path[at:]
	if rest[0] == '[' {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return part{}, fmt.Errorf("has a [ without a ]")
		}
		if end == 1 {
			return part{}, fmt.Errorf("has an empty key []")
		}
		return part{name: rest[1:end], key: true, end: at + end + 1}, nil
	}
	if !first {
		if rest[0] != '.' {
			return part{}, fmt.Errorf("goes on with %q after a key; a dot is missing", rest)
		}
		rest, at = rest[1:], at+1
	}
	n := strings.IndexAny(rest, ".[")
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return part{}, fmt.Errorf("has an empty name; a dot only stands between two names")
	}
	return part{name: rest[:n], end: at + n}, nil
}
