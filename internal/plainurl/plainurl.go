// Package plainurl makes addresses printable: a server's address may have a user name and a password, or a token, in it.
package plainurl

import (
	"errors"
	"net/url"
	"strings"
)

// Redacted stands for what is not shown.
const Redacted = "--- REDACTED ---"

// Hide returns address without what may be a user name and a password. It does not depend on address being a valid URL: in
// "https://user:pa/ss@host" the password is found although url.Parse takes a part of it for a path. Hence all that comes before
// the last "@" is hidden.
func Hide(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = Redacted + rest[at:]
	}
	return scheme + rest
}

// Error returns the error of a URL that could not be parsed, or that could not be fetched, without the URL. What is left is
// hidden as well if address has an "@": errors of package url quote what they do not understand, such as a port that is really
// a password.
func Error(address string, err error) error {
	var wrapped *url.Error
	if !errors.As(err, &wrapped) {
		return err
	}
	if strings.Contains(address, "@") {
		return errors.New("it is not a valid URL")
	}
	return wrapped.Err
}
