package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"vedette.dev/rest"
)

// server is the real one, and how to ask it.
type server struct {
	url    string
	client *http.Client
}

func newServer(cfg *rest.Config) (*server, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	return &server{url: cfg.Host, client: client}, nil
}

// do sends a request and returns the answer, whatever its status.
func (s *server) do(ctx context.Context, method, path, accept string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

func (s *server) get(ctx context.Context, path, accept string) ([]byte, error) {
	code, answer, err := s.do(ctx, http.MethodGet, path, accept, nil)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("GET %s: %d %s", path, code, answer)
	}
	return answer, err
}

func (s *server) getJSON(ctx context.Context, path string, into any) error {
	answer, err := s.get(ctx, path, "application/json")
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}
