package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrGroupDiscoveryFailed means that some group versions could not be read. What could be read is returned as well.
// Usually the server of an APIService is down; the others are not affected.
type ErrGroupDiscoveryFailed struct {
	// Groups are the group versions that failed, with their errors.
	Groups map[schema.GroupVersion]error
}

func (e *ErrGroupDiscoveryFailed) Error() string {
	var groups []string
	for gv, err := range e.Groups {
		groups = append(groups, fmt.Sprintf("%s: %v", gv, err))
	}
	slices.Sort(groups)
	return "unable to retrieve the complete list of server APIs: " + strings.Join(groups, ", ")
}

// Is makes errors.Is true for any two of them, whichever groups failed.
func (e *ErrGroupDiscoveryFailed) Is(target error) bool {
	_, ok := target.(*ErrGroupDiscoveryFailed)
	return ok
}

// IsGroupDiscoveryFailedError reports whether err is, or wraps, an *ErrGroupDiscoveryFailed.
func IsGroupDiscoveryFailedError(err error) bool {
	_, ok := GroupDiscoveryFailedErrorGroups(err)
	return ok
}

// GroupDiscoveryFailedErrorGroups returns the group versions that failed, if err is, or wraps, an
// *ErrGroupDiscoveryFailed.
func GroupDiscoveryFailedErrorGroups(err error) (map[schema.GroupVersion]error, bool) {
	var failed *ErrGroupDiscoveryFailed
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.Groups, true
}
