package discovery

import (
	"mime"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The forms of discovery. The server requires the parameters in this order.
const (
	// AcceptV1 has the groups without resources.
	AcceptV1 = runtime.ContentTypeJSON
	// AcceptV2 is aggregated discovery.
	AcceptV2 = runtime.ContentTypeJSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	// AcceptV2NoPeer is aggregated discovery of the responding server only.
	AcceptV2NoPeer = AcceptV2 + ";profile=nopeer"
)

// accept returns the Accept header, best form first.
func (d *DiscoveryClient) accept() string {
	switch {
	case d.UseLegacyDiscovery:
		return AcceptV1
	case d.NoPeerDiscovery:
		return AcceptV2NoPeer + "," + AcceptV2 + "," + AcceptV1
	default:
		return AcceptV2 + "," + AcceptV1
	}
}

func isAggregated(contentType string) bool {
	yes, err := ContentTypeIsGVK(contentType, schema.GroupVersionKind{
		Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList",
	})
	return err == nil && yes
}

// ContentTypeIsGVK reports whether a content type is JSON with the parameters g, v and as of the given kind, in any
// order and with any other parameters. A content type that cannot be parsed is an error.
func ContentTypeIsGVK(contentType string, gvk schema.GroupVersionKind) (bool, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false, err
	}
	return media == runtime.ContentTypeJSON &&
		params["g"] == gvk.Group && params["v"] == gvk.Version && params["as"] == gvk.Kind, nil
}
