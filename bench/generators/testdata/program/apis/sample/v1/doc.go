// Package v1 has the kinds of a program.
//
// +k8s:deepcopy-gen=package
// +groupName=sample.example.com
package v1
