package kinds

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

const (
	jsonMedia  = "application/json"
	yamlMedia  = "application/yaml"
	protoMedia = "application/vnd.kubernetes.protobuf"
)

// accepted is a clause of an Accept header.
type accepted struct {
	media  string
	params map[string]string
	q      float64
}

// aggregated reports whether it is about the one document with everything.
func (a accepted) aggregated() bool {
	return mediaType(a.media) != "" && a.params["g"] == "apidiscovery.k8s.io" && a.params["v"] == "v2" &&
		a.params["as"] == "APIGroupDiscoveryList"
}

// parseAccept returns the clauses, the most wanted first. What cannot be parsed is left out, and nothing at all means
// anything at all.
func parseAccept(header string) []accepted {
	var clauses []accepted
	for clause := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(clause)
		if err != nil {
			continue
		}
		q := 1.0
		if given, err := strconv.ParseFloat(params["q"], 64); err == nil {
			q = given
		}
		clauses = append(clauses, accepted{media, params, q})
	}
	if header == "" {
		return []accepted{{media: "*/*", q: 1}}
	}
	slices.SortStableFunc(clauses, func(a, b accepted) int { return int(b.q*1000) - int(a.q*1000) })
	return clauses
}

// mediaType is what to answer with, or "".
func mediaType(wanted string) string {
	switch wanted {
	case "*/*", "application/*", jsonMedia:
		return jsonMedia
	case yamlMedia, protoMedia:
		return wanted
	}
	return ""
}

// respond writes an object as the client likes it.
func respond(w http.ResponseWriter, req *http.Request, code int, obj runtime.Object) {
	for _, accept := range parseAccept(req.Header.Get("Accept")) {
		if media := mediaType(accept.media); media != "" && accept.params["as"] == "" {
			write(w, req, code, media, obj)
			return
		}
	}
	writeStatus(w, req, notAcceptable)
}

func write(w http.ResponseWriter, req *http.Request, code int, media string, obj runtime.Object) {
	body, err := encode(media, obj, pretty(req))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func encode(media string, obj runtime.Object, pretty bool) ([]byte, error) {
	var s runtime.Encoder
	switch media {
	case protoMedia:
		s = protobuf.NewSerializer(nil, nil)
	default:
		s = json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil,
			json.SerializerOptions{Yaml: media == yamlMedia, Pretty: pretty})
	}
	var out bytes.Buffer
	err := s.Encode(obj, &out)
	return out.Bytes(), err
}

// pretty reports whether a person is going to read it.
func pretty(req *http.Request) bool {
	if v, ok := req.URL.Query()["pretty"]; ok {
		on, _ := strconv.ParseBool(v[0])
		return on || v[0] == ""
	}
	agent := req.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

var (
	notFound = metav1.Status{Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Details: &metav1.StatusDetails{},
		Message: "the server could not find the requested resource"}
	methodNotAllowed = metav1.Status{Reason: metav1.StatusReasonMethodNotAllowed, Code: http.StatusMethodNotAllowed,
		Details: &metav1.StatusDetails{}, Message: "the server does not allow this method on the requested resource"}
	notAcceptable = metav1.Status{Reason: metav1.StatusReasonNotAcceptable, Code: http.StatusNotAcceptable,
		Details: &metav1.StatusDetails{}, Message: "406: Not Acceptable\n\nAvailable representations: " +
			"application/json, application/yaml, application/vnd.kubernetes.protobuf"}
	notAcceptableGroups = metav1.Status{Reason: metav1.StatusReasonNotAcceptable, Code: http.StatusNotAcceptable,
		Message: "only the following media types are accepted: application/json, application/yaml, " +
			"application/vnd.kubernetes.protobuf"}
)

func writeStatus(w http.ResponseWriter, req *http.Request, status metav1.Status) {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	status.Status = metav1.StatusFailure
	media := jsonMedia
	for _, accept := range parseAccept(req.Header.Get("Accept")) {
		if m := mediaType(accept.media); m != "" {
			media = m
			break
		}
	}
	write(w, req, int(status.Code), media, &status)
}
