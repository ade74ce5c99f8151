// Package browsertest looks at the console with a real Chromium. It is a module of its own, so that what drives the browser
// never reaches a user's go.sum.
//
//	cd console/browsertest && go test ./...
//
// Chromium is found in PATH. Where it is missing and the tests run as root on a Debian, they install it. Screenshots are
// artifacts of the tests: with go test -artifacts -outputdir DIR they are kept in DIR.
package browsertest
