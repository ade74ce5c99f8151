package api

import "k8s.io/apimachinery/pkg/runtime"

// NewConfig returns an empty Config whose maps can be written to.
func NewConfig() *Config {
	return &Config{
		Clusters:   map[string]*Cluster{},
		AuthInfos:  map[string]*AuthInfo{},
		Contexts:   map[string]*Context{},
		Extensions: map[string]runtime.Object{},
	}
}

// NewContext returns an empty Context whose map can be written to.
func NewContext() *Context { return &Context{Extensions: map[string]runtime.Object{}} }

// NewCluster returns an empty Cluster whose map can be written to.
func NewCluster() *Cluster { return &Cluster{Extensions: map[string]runtime.Object{}} }

// NewAuthInfo returns an empty AuthInfo whose maps can be written to.
func NewAuthInfo() *AuthInfo {
	return &AuthInfo{Extensions: map[string]runtime.Object{}, ImpersonateUserExtra: map[string][]string{}}
}

// NewPreferences returns empty Preferences whose map can be written to.
func NewPreferences() *Preferences { return &Preferences{Extensions: map[string]runtime.Object{}} }
