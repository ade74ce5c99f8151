package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// OpenAPIV2 returns the OpenAPI v2 document of the server, which describes everything and has some megabytes. An empty
// content type means JSON; "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" is smaller.
func (d *DiscoveryClient) OpenAPIV2(ctx context.Context, contentType string) ([]byte, error) {
	body, _, err := d.fetch(ctx, "/openapi/v2", orJSON(contentType))
	return body, err
}

// OpenAPIV3Paths returns where the OpenAPI v3 document of each group version is: "apis/apps/v1" is a key. An address
// changes when its document does, so it can be the key of a cache.
func (d *DiscoveryClient) OpenAPIV3Paths(ctx context.Context) (map[string]string, error) {
	const path = "/openapi/v3"
	body, contentType, err := d.fetch(ctx, path, AcceptV1)
	if err != nil {
		return nil, err
	}
	var index struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(body, &index); err != nil {
		return nil, unreadable(path, "index", body, contentType, err)
	}
	paths := make(map[string]string, len(index.Paths))
	for name, at := range index.Paths {
		paths[name] = at.ServerRelativeURL
	}
	return paths, nil
}

// OpenAPIV3Schema returns a document that OpenAPIV3Paths gave the address of. An empty content type means JSON;
// "application/com.github.proto-openapi.spec.v3@v1.0+protobuf" is smaller.
func (d *DiscoveryClient) OpenAPIV3Schema(ctx context.Context, serverRelativeURL, contentType string) ([]byte, error) {
	at, err := url.Parse(serverRelativeURL)
	if err != nil {
		return nil, fmt.Errorf("the address of an OpenAPI document: %w", err)
	}
	// Servers below a path may or may not name it in their addresses. The client adds it anyway.
	below := strings.TrimSuffix(d.restClient.Get().AbsPath("/").URL().Path, "/")
	request := d.restClient.Get().AbsPath(strings.TrimPrefix(at.Path, below)).SetHeader("Accept", orJSON(contentType))
	for name, values := range at.Query() {
		for _, value := range values {
			request.Param(name, value)
		}
	}
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

func orJSON(contentType string) string {
	if contentType == "" {
		return AcceptV1
	}
	return contentType
}
