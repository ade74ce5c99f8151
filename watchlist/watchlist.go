// Package watchlist tells when a list can be read as a watch: a streaming list. Reflectors of package cache do that by
// themselves.
package watchlist

import (
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// PrepareWatchListOptionsFromListOptions returns the options of a watch that begins with the objects of the list that
// listOptions select. The second result is false if there is no such watch: the options are invalid, ask for a page, or
// for an exact version.
func PrepareWatchListOptionsFromListOptions(listOptions metav1.ListOptions) (metav1.ListOptions, bool, error) {
	valid, err := isValid(listOptions)
	// The server ignores the limit of a list at version 0.
	page := listOptions.Limit > 0 && listOptions.ResourceVersion != "0"
	if err != nil || !valid || page || listOptions.ResourceVersionMatch == metav1.ResourceVersionMatchExact {
		return metav1.ListOptions{}, false, err
	}
	sendInitialEvents := true
	options := listOptions
	options.Limit = 0
	options.Watch = true
	options.AllowWatchBookmarks = true
	options.SendInitialEvents = &sendInitialEvents
	options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	if valid, err = isValid(options); err != nil || !valid {
		return metav1.ListOptions{}, false, err
	}
	return options, true, nil
}

// isValid reports whether a server accepts the options. An error means that they cannot be parsed.
func isValid(options metav1.ListOptions) (bool, error) {
	var scope conversion.Scope
	internal := &internalversion.ListOptions{}
	if err := internalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&options, internal, scope); err != nil {
		return false, err
	}
	return len(validation.ValidateListOptions(internal, true)) == 0, nil
}

// DoesClientNotSupportWatchListSemantics reports whether a client says that it does not support streaming lists, with a
// method IsWatchListSemanticsUnSupported that returns true. Fake clients do.
func DoesClientNotSupportWatchListSemantics(client any) bool {
	refuser, ok := client.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && refuser.IsWatchListSemanticsUnSupported()
}
