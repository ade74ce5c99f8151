// Package browsertest looks at the console with a real Chromium. It is a module of its own, so that what drives the browser
// never reaches a user's go.sum.
//
//	cd console/browsertest && go test ./...
//
// Chromium or Chrome is found in PATH. Where it is missing, and the tests run as root on a machine with apt-get, they install it;
// elsewhere they fail, and say what to do. Screenshots are artifacts of the tests: with go test -artifacts -outputdir DIR they are
// kept in DIR.
package browsertest
