package discovery

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/version"
)

// ServerVersionWithContext returns the version of the server.
func (d *DiscoveryClient) ServerVersionWithContext(ctx context.Context) (*version.Info, error) {
	const path = "/version"
	body, contentType, err := d.fetch(ctx, path, AcceptV1)
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	if err := json.Unmarshal(body, info); err != nil {
		return nil, unreadable(path, "version", body, contentType, err)
	}
	return info, nil
}
