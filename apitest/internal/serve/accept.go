package serve

import (
	"mime"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The media types of objects.
const (
	mediaJSON     = "application/json"
	mediaYAML     = "application/yaml"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
	// mediaCBOR is supported if the server is configured so, and mediaCBORSequence is that of a watch.
	mediaCBOR         = "application/cbor"
	mediaCBORSequence = "application/cbor-seq"
)

var (
	builtinMedia = []string{mediaJSON, mediaYAML, mediaProtobuf}
	customMedia  = []string{mediaJSON, mediaYAML}
)

// output is the negotiated form of a response.
type output struct {
	media  string
	pretty bool
	// as is "", or Table, PartialObjectMetadata or PartialObjectMetadataList, with its version.
	as        string
	asVersion string
}

// negotiate returns the first form that the client accepts and the kind supports. Custom kinds do not support protobuf.
func negotiate(r *http.Request, custom bool) (output, bool) {
	return choose(r, mediaFor(r, custom), func(media string, target *schema.GroupVersionKind) bool {
		return target == nil || transforms(media, *target, custom)
	})
}

// negotiateError is negotiate for a Status, which has one form only.
func negotiateError(r *http.Request) (output, bool) {
	return choose(r, mediaFor(r, false), func(_ string, target *schema.GroupVersionKind) bool { return target == nil })
}

// produces reports whether the path has a media type that the client accepts, ignoring parameters.
func produces(r *http.Request) bool {
	header := r.Header.Get("Accept")
	if header == "" {
		return true
	}
	for part := range strings.SplitSeq(header, ",") {
		media, _, _ := strings.Cut(part, ";")
		media = strings.TrimSpace(media)
		if media == "*/*" || slices.Contains(mediaFor(r, false), media) {
			return true
		}
	}
	return false
}

// transforms reports whether a kind can be shown as the target.
func transforms(media string, target schema.GroupVersionKind, custom bool) bool {
	if target.Group != "meta.k8s.io" || (target.Version != "v1" && target.Version != "v1beta1") {
		return false
	}
	switch target.Kind {
	case "Table":
		return media == mediaJSON || media == mediaYAML
	case "PartialObjectMetadata", "PartialObjectMetadataList":
		return true
	}
	return false
}

func choose(r *http.Request, supported []string, allowed func(string, *schema.GroupVersionKind) bool) (output, bool) {
	header := r.Header.Get("Accept")
	if header == "" {
		return output{media: mediaJSON, pretty: isPretty(r)}, true
	}
	for _, clause := range parseAccept(header) {
		for _, media := range supported {
			if !clause.matches(media) {
				continue
			}
			if stream := clause.params["stream"]; stream != "" && (stream != "watch" || media == mediaYAML) {
				continue
			}
			if version := clause.params["sv"]; version != "" && version != "v1" {
				continue
			}
			target := clause.target()
			if !allowed(media, target) {
				continue
			}
			out := output{media: media, pretty: clause.params["pretty"] == "1" || isPretty(r)}
			if target != nil {
				out.as, out.asVersion = target.Kind, target.Version
			}
			return out, true
		}
	}
	return output{}, false
}

// accepted is one clause of an Accept header.
type accepted struct {
	kind, subkind string
	params        map[string]string
	quality       float64
}

func (a accepted) matches(media string) bool {
	kind, subkind, _ := strings.Cut(media, "/")
	return a.kind == "*" && a.subkind == "*" || a.kind == kind && (a.subkind == "*" || a.subkind == subkind)
}

func (a accepted) target() *schema.GroupVersionKind {
	_, as := a.params["as"]
	_, group := a.params["g"]
	_, version := a.params["v"]
	if !as && !group && !version {
		return nil
	}
	return &schema.GroupVersionKind{Group: a.params["g"], Version: a.params["v"], Kind: a.params["as"]}
}

// parseAccept parses an Accept header, best clauses first.
func parseAccept(header string) []accepted {
	var clauses []accepted
	for part := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil && media == "" {
			continue
		}
		clause := accepted{params: params, quality: 1}
		clause.kind, clause.subkind, _ = strings.Cut(media, "/")
		if media == "*" {
			clause.subkind = "*"
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			clause.quality = q
		}
		clauses = append(clauses, clause)
	}
	sort.SliceStable(clauses, func(i, j int) bool { return clauses[i].quality > clauses[j].quality })
	return clauses
}

// isPretty reports whether the response is for a person.
func isPretty(r *http.Request) bool {
	if value := r.URL.Query().Get("pretty"); value != "" {
		pretty, _ := strconv.ParseBool(value)
		return pretty
	}
	agent := r.UserAgent()
	return slices.ContainsFunc([]string{"curl", "Wget", "Mozilla/5.0"}, func(human string) bool {
		return strings.HasPrefix(agent, human)
	})
}
