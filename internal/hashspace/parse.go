package hashspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseSelector parses the output of Selector, and shardInfo as a server returns it, which has different spaces. Like a
// server it accepts parentheses, either kind of quotes, and overlapping ranges. The empty text is everything, with no path.
//
// Two selectors mean the same if their paths and sets are equal.
func ParseSelector(text string) (path string, s Set, err error) {
	if text == "" {
		return "", Set{Everything()}, nil
	}
	p := parser{text: text, rest: text}
	path, ranges, err := p.selector()
	if err != nil {
		return "", nil, err
	}
	slices.SortFunc(ranges, byStart)
	return path, join(ranges), nil
}

// parser has no recursion: with || as the only operator, parentheses need not be more than counted.
type parser struct{ text, rest string }

func (p *parser) selector() (string, []Range, error) {
	var (
		path   string
		ranges []Range
		depth  int
	)
	for {
		for p.accept("(") {
			depth++
		}
		key, r, err := p.call()
		if err != nil {
			return "", nil, err
		}
		if path != "" && key != path {
			return "", nil, p.errorf("it selects by %s and by %s; all ranges must be of one", path, key)
		}
		path, ranges = key, append(ranges, r)
		for depth > 0 && p.accept(")") {
			depth--
		}
		if !p.accept("||") {
			break
		}
	}
	if depth > 0 {
		return "", nil, p.wanted(")")
	}
	if p.blanks(); p.rest != "" {
		return "", nil, p.wanted("||")
	}
	return path, ranges, nil
}

// call parses shardRange(path,'start','end').
func (p *parser) call() (string, Range, error) {
	if !p.accept(rangeCall) {
		return "", Range{}, p.wanted(rangeCall)
	}
	if !p.accept("(") {
		return "", Range{}, p.wanted("(")
	}
	path := ""
	switch {
	case p.accept(uidPath):
		path = uidPath
	case p.accept(namespacePath):
		path = namespacePath
	default:
		return "", Range{}, p.wanted(uidPath + " or " + namespacePath)
	}
	start, err := p.argument()
	if err != nil {
		return "", Range{}, err
	}
	end, err := p.argument()
	if err != nil {
		return "", Range{}, err
	}
	if !p.accept(")") {
		return "", Range{}, p.wanted(")")
	}
	// The start 2^64 reads as 0, and is never before an end.
	if start == spaceEnd || end != spaceEnd && start >= end {
		return "", Range{}, p.errorf("its range from %s to %s is empty", start, end)
	}
	return path, Range{value(start), value(end)}, nil
}

// argument parses a comma and a quoted bound.
func (p *parser) argument() (string, error) {
	if !p.accept(",") {
		return "", p.wanted(",")
	}
	p.blanks()
	for _, quote := range []string{"'", `"`} {
		rest, ok := strings.CutPrefix(p.rest, quote)
		if !ok {
			continue
		}
		text, after, ok := strings.Cut(rest, quote)
		if !ok || !isBound(text) {
			return "", p.wanted("0x and sixteen lower-case hexadecimal digits, or " + spaceEnd)
		}
		p.rest = after
		return text, nil
	}
	return "", p.wanted("a quoted bound")
}

func isBound(text string) bool {
	if text == spaceEnd {
		return true
	}
	hex, ok := strings.CutPrefix(text, "0x")
	return ok && len(hex) == 16 && strings.Trim(hex, digits) == ""
}

// value returns the number of a bound. For 2^64 it is 0, as in Range.
func value(bound string) uint64 {
	if bound == spaceEnd {
		return 0
	}
	n, _ := strconv.ParseUint(bound[2:], 16, 64) // isBound has checked it
	return n
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n\f") }

func (p *parser) accept(token string) bool {
	p.blanks()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) wanted(what string) error {
	p.blanks()
	return p.errorf("at byte %d, %s is expected", len(p.text)-len(p.rest), what)
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%.200q is not a shard selector: %s", p.text, fmt.Sprintf(format, args...))
}
