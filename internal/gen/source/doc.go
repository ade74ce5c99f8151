// Package source writes Go files for the generators beside it: of templates, formatted, with what an older run left behind
// removed.
package source
