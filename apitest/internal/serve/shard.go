package serve

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/sharding"
)

// shardRange is one clause of a shard selector.
var shardRange = regexp.MustCompile(`^\(*\s*shardRange\(\s*([\w.]+)\s*,\s*['"]([^'"]*)['"]\s*,\s*['"]([^'"]*)['"]\s*\)\s*\)*$`)

const shardEnd = "0x10000000000000000" // 2^64

// parseShardSelector parses clauses like shardRange(object.metadata.uid,'0x…','0x…'), joined by "||". An error is not a
// Status: the real server answers with 500.
func parseShardSelector(text string) (sharding.Selector, error) {
	var requirements []sharding.ShardRangeRequirement
	for clause := range strings.SplitSeq(text, "||") {
		parts := shardRange.FindStringSubmatch(strings.TrimSpace(clause))
		if parts == nil {
			return nil, fmt.Errorf("invalid shard selector: %q is not of the form shardRange(path, 'start', 'end')", strings.TrimSpace(clause))
		}
		key, start, end := parts[1], parts[2], parts[3]
		if key != "object.metadata.uid" && key != "object.metadata.namespace" {
			return nil, fmt.Errorf("invalid shard selector: unsupported field path %q", key)
		}
		if !isBound(start) || !isBound(end) {
			return nil, errors.New("invalid shard selector: bounds must be a 0x-prefixed 16-digit hex value")
		}
		if !sharding.HexLess(start, end) {
			return nil, fmt.Errorf("invalid shard selector: start %s must be less than end %s", start, end)
		}
		if len(requirements) > 0 && requirements[0].Key != key {
			return nil, errors.New("invalid shard selector: all ranges must be of the same field path")
		}
		requirements = append(requirements, sharding.ShardRangeRequirement{Key: key, Start: start, End: end})
	}
	return sharding.NewSelector(requirements...), nil
}

var bound = regexp.MustCompile(`^0x[0-9a-f]{16}$`)

func isBound(text string) bool { return text == shardEnd || bound.MatchString(text) }
