package patch

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// strictness is how unknown and duplicate fields are met.
type strictness string

// strictnessOf gives the default where the client said nothing: a warning.
func strictnessOf(fieldValidation string) strictness {
	if fieldValidation == "" {
		return metav1.FieldValidationWarn
	}
	return strictness(fieldValidation)
}

// looks says that unknown fields have to be found at all.
func (s strictness) looks() bool { return s != metav1.FieldValidationIgnore }

// judge turns what strict decoding found into warnings, or into an error.
func (s strictness) judge(found []error) ([]string, error) {
	if len(found) == 0 {
		return nil, nil
	}
	if s == metav1.FieldValidationWarn {
		return warningsOf(found), nil
	}
	return nil, runtime.NewStrictDecodingError(found)
}

// split takes the strict errors out of err. What is left is an error that no strictness forgives.
func split(err error) (found []error, rest error) {
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		return strict.Errors(), nil
	}
	return nil, err
}

// warningsOf gives one warning a violation; the YAML library packs several into one error.
func warningsOf(found []error) []string {
	var warnings []string
	for _, err := range found {
		text, yaml := strings.CutPrefix(err.Error(), "yaml: unmarshal errors:\n")
		if !yaml {
			text, yaml = strings.CutPrefix(err.Error(), "error converting YAML to JSON: yaml: unmarshal errors:\n")
		}
		if !yaml {
			warnings = append(warnings, text)
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			warnings = append(warnings, strings.TrimSpace(line))
		}
	}
	return warnings
}

func unknownField(path string) error { return fmt.Errorf("unknown field %q", path) }
