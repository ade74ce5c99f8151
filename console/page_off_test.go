//go:build vedette_noconsole

package console

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestThePageIsLeftOut(t *testing.T) {
	answer := httptest.NewRecorder()
	Handler(Config{}).ServeHTTP(answer, httptest.NewRequest("GET", "/debug/vedette/", nil))
	if answer.Code != 404 || !strings.Contains(answer.Body.String(), "vedette_noconsole") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
