// Package discoverytest is the part of an API server that discovery speaks to, for tests.
//
// A [Server] serves the groups that it is given, in both forms of discovery, and counts what it is asked. It is an
// http.Handler, so a test may put it behind httptest.NewServer; it is also an http.RoundTripper, so that a test in a
// synctest bubble, which cannot wait for a network, may put it into the Transport of a rest.Config.
package discoverytest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Group is a group with its versions, the preferred one first. The core group has no name.
type Group struct {
	Name     string
	Versions []Version
}

// Version is a version of a group.
type Version struct {
	Name      string
	Resources []metav1.APIResource
	// Stale: the server behind this version is down. Aggregated discovery says so, and asking for it alone is a 503.
	Stale bool
}

// Server answers discovery. The zero value serves nothing. It is safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	groups   []Group
	legacy   bool
	instead  map[string]http.HandlerFunc
	requests map[string]int
}

// New returns a server of the groups.
func New(groups ...Group) *Server { return &Server{groups: groups} }

// Serve replaces the groups.
func (s *Server) Serve(groups ...Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = groups
}

// Legacy makes it a server that does not know aggregated discovery.
func (s *Server) Legacy() *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legacy = true
	return s
}

// Instead answers the requests for a path in another way; nil ends that.
func (s *Server) Instead(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instead == nil {
		s.instead = map[string]http.HandlerFunc{}
	}
	s.instead[path] = answer
}

// Requests returns how often each path was asked for since the last call, and forgets it.
func (s *Server) Requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counted := s.requests
	s.requests = nil
	return counted
}

// RoundTrip answers without a network.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	response := recorder.Result()
	response.Request = r
	return response, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, groups, aggregated := s.note(r)
	switch path := strings.Trim(r.URL.Path, "/"); {
	case answer != nil:
		answer(w, r)
	case path == "api" && aggregated:
		send(w, aggregate(only(groups, "")), contentTypeV2)
	case path == "apis" && aggregated:
		send(w, aggregate(except(groups, "")), contentTypeV2)
	default:
		legacy(w, groups, path)
	}
}

// note counts a request and returns what its answer depends on.
func (s *Server) note(r *http.Request) (instead http.HandlerFunc, groups []Group, aggregated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests == nil {
		s.requests = map[string]int{}
	}
	s.requests[r.URL.Path]++
	aggregated = !s.legacy && strings.Contains(r.Header.Get("Accept"), "as=APIGroupDiscoveryList")
	return s.instead[r.URL.Path], s.groups, aggregated
}

func send(w http.ResponseWriter, document any, contentType string) {
	w.Header().Set("Content-Type", contentType)
	_ = json.NewEncoder(w).Encode(document)
}

// Fail is an answer for [Server.Instead]: an error, as an API server writes it.
func Fail(code int, reason metav1.StatusReason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure, Reason: reason, Message: message, Code: int32(code),
		})
	}
}

// Send is an answer for [Server.Instead]: any body.
func Send(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}
