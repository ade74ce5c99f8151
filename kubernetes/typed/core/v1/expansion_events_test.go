package v1

import "testing"

func TestFieldLabel(t *testing.T) {
	if got := GetInvolvedObjectNameFieldLabel("v1"); got != "involvedObject.name" {
		t.Errorf("got %q", got)
	}
}
