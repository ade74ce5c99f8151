package shard

import "vedette.dev/shard/internal/cover"

// Dimensions of covers that have no name.
var (
	inCluster   = cover.Dimension{Kind: cover.Cluster}
	inNamespace = cover.Dimension{Kind: cover.Namespace}
	ofTenant    = cover.Dimension{Kind: cover.Tenant}
)

func byLabel(key string) cover.Dimension { return cover.Dimension{Kind: cover.Label, Name: key} }

func byHash(key HashKey) cover.Dimension { return cover.Dimension{Kind: cover.Hash, Name: key.name} }

// in returns the objects of a cluster that are in a namespace, or in all of them if it is empty.
func in(cluster, namespace string) cover.Cover {
	c := cover.Of(inCluster, cover.Values(cluster))
	if namespace != "" {
		c = c.Restrict(inNamespace, cover.Values(namespace))
	}
	return c
}

// reader reads the values of objects in the dimensions of covers. Fields are not read: only the server knows them.
type reader struct {
	hashes   map[string]HashKey
	tenantOf func(*Envelope) string
}

func (r reader) read(d cover.Dimension) (out cover.Reader[*Envelope]) {
	for _, s := range strategies {
		if out = s.value(d, r); out.Value != nil || out.Hash != nil {
			break
		}
	}
	return out
}
