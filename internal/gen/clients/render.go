package main

import (
	"embed"

	"vedette.dev/internal/gen/source"
)

//go:embed *.tmpl
var sources embed.FS

var templates = source.Parse(sources)
