package transport

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// plainParameters are the parameters of the Kubernetes API whose values are not sensitive. Values of others, such as
// the command of an exec request, are not logged.
const plainParameters = " allowWatchBookmarks dryRun fieldManager fieldSelector fieldValidation follow force labelSelector " +
	"limit pretty propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents timeout timeoutSeconds watch "

// NewLoggingRoundTripper returns a RoundTripper that logs each request at level Debug when its response begins: method,
// URL, status and duration. It logs no headers, no bodies, and no value in a URL that might be a secret. A nil logger
// logs nothing.
func NewLoggingRoundTripper(logger *slog.Logger, rt http.RoundTripper) http.RoundTripper {
	if logger == nil {
		return rt
	}
	return &logging{layer: layer{rt}, logger: logger}
}

type logging struct {
	layer
	logger *slog.Logger
}

func (l *logging) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if !l.logger.Enabled(ctx, slog.LevelDebug) {
		return l.next.RoundTrip(req)
	}
	start := time.Now()
	resp, err := l.next.RoundTrip(req)
	attrs := []slog.Attr{
		slog.String("method", req.Method),
		slog.String("url", plainURL(req.URL)),
		slog.Duration("duration", time.Since(start)),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("err", err))
	} else {
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
	}
	l.logger.LogAttrs(ctx, slog.LevelDebug, "request", attrs...)
	return resp, err
}

// plainURL returns a URL without the user, the fragment, and the values of parameters that may be sensitive.
func plainURL(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	var query []string
	for key, values := range u.Query() {
		for _, value := range values {
			if !strings.Contains(plainParameters, " "+key+" ") {
				value = "..."
			}
			query = append(query, url.QueryEscape(key)+"="+url.QueryEscape(value))
		}
	}
	slices.Sort(query)
	plain.RawQuery = strings.Join(query, "&")
	return plain.String()
}
