package memory

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// read returns what the server listed, and requests it if necessary.
func (c *client) read(ctx context.Context) (*served, error) {
	return c.served.Load().get(ctx, c.ask)
}

// ask reads the groups. An empty list is not final: a server that is starting may not know its groups yet.
func (c *client) ask(ctx context.Context) *answer[*served] {
	var groups *metav1.APIGroupList
	var resources map[schema.GroupVersion]*metav1.APIResourceList
	var failed map[schema.GroupVersion]error
	var err error
	if aggregated, ok := c.delegate.(discovery.AggregatedDiscoveryInterfaceWithContext); ok {
		groups, resources, failed, err = aggregated.GroupsAndMaybeResourcesWithContext(ctx)
	} else {
		groups, err = c.delegate.ServerGroupsWithContext(ctx)
	}
	if err == nil && groups == nil {
		err = fmt.Errorf("%T returned neither groups nor an error", c.delegate)
	}
	if err != nil {
		return &answer[*served]{err: err}
	}
	return &answer[*served]{value: newServed(groups, resources, failed), final: len(groups.Groups) > 0}
}

func newServed(groups *metav1.APIGroupList, resources map[schema.GroupVersion]*metav1.APIResourceList, failed map[schema.GroupVersion]error) *served {
	s := &served{groups: groups, aggregated: resources != nil, resources: map[schema.GroupVersion]*cell[*metav1.APIResourceList]{}}
	for gv, list := range resources {
		s.resources[gv] = newCell(&answer[*metav1.APIResourceList]{value: list, final: true})
	}
	for gv, err := range failed {
		s.resources[gv] = newCell(&answer[*metav1.APIResourceList]{err: err})
	}
	if s.aggregated {
		return s
	}
	for i := range groups.Groups {
		group := &groups.Groups[i]
		for _, v := range group.Versions {
			s.resources[schema.GroupVersion{Group: group.Name, Version: v.Version}] = newCell[*metav1.APIResourceList](nil)
		}
	}
	return s
}
