package serve

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// continueToken is where to continue a list. It is opaque to clients, but tests decode it.
type continueToken struct {
	APIVersion string `json:"v"`
	// Version is that of the list, or -1 for the newest one: the list is then not consistent.
	Version int64  `json:"rv"`
	Start   string `json:"start"`
}

const tokenVersion = "meta.k8s.io/v1"

var (
	errNoVersion = errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	errNoStart   = errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	errToken     = errors.New("continue key is not valid")
)

// encodeToken returns a token for the next key, which begins with the namespace if the list is of one.
func encodeToken(key, namespace string, version int64) string {
	start := "/" + strings.TrimPrefix(key, prefixOf(namespace))
	data, err := json.Marshal(continueToken{APIVersion: tokenVersion, Version: version, Start: start})
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeToken returns the first key.
func decodeToken(text, namespace string) (start string, version int64, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %v", errToken, err)
	}
	var token continueToken
	if err := json.Unmarshal(data, &token); err != nil {
		return "", 0, fmt.Errorf("%w: %v", errToken, err)
	}
	switch {
	case token.APIVersion != tokenVersion:
		return "", 0, fmt.Errorf("%w: server does not recognize this encoded version %v", errToken, token.APIVersion)
	case token.Version == 0:
		return "", 0, errNoVersion
	case token.Start == "":
		return "", 0, errNoStart
	}
	key := token.Start
	if !strings.HasPrefix(key, "/") {
		key = "/" + key
	}
	if path.Clean(key) != key { // the key must not leave the namespace
		return "", 0, fmt.Errorf("%w: %v", errToken, token.Start)
	}
	return prefixOf(namespace) + key[1:], token.Version, nil
}

func prefixOf(namespace string) string {
	if namespace == "" {
		return ""
	}
	return namespace + "/"
}
