package execauth

import (
	"strings"
	"testing"
	"time"

	"vedette.dev/internal/testcert"
)

func TestParseCredentials(t *testing.T) {
	const head = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"`
	const secret = "s3cret"
	for name, test := range map[string]struct{ output, want string }{
		"token":                {head + `,"status":{"token":"s3cret"}}`, ""},
		"unknown fields":       {head + `,"x":1,"status":{"token":"s3cret","y":{}}}`, ""},
		"no expiry":            {head + `,"status":{"token":"s3cret","expirationTimestamp":null}}`, ""},
		"nothing":              {``, "bad syntax at byte 0"},
		"not JSON":             {`s3cret`, "bad syntax at byte 1"},
		"more than one object": {head + `,"status":{"token":"s3cret"}} s3cret`, "bad syntax"},
		"another kind":         {`{"kind":"s3cret","apiVersion":"client.authentication.k8s.io/v1"}`, "did not print an object of kind ExecCredential"},
		"another version":      {`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}`, "configured for API version client.authentication.k8s.io/v1, and returned client.authentication.k8s.io/v1beta1"},
		"an unknown version":   {`{"kind":"ExecCredential","apiVersion":"s3cret"}`, "returned another that is not known"},
		"no status":            {head + `}`, "without a status"},
		"empty status":         {head + `,"status":{}}`, "neither a token nor a client certificate"},
		"only a certificate":   {head + `,"status":{"clientCertificateData":"s3cret"}}`, "only one of"},
		"only a key":           {head + `,"status":{"token":"t","clientKeyData":"s3cret"}}`, "only one of"},
		"no certificate":       {head + `,"status":{"clientCertificateData":"s3cret","clientKeyData":"s3cret"}}`, "its client certificate and key"},
		"a number":             {head + `,"status":{"token":12345}}`, `field "status.token" should be a string`},
		"a bad time":           {head + `,"status":{"token":"t","expirationTimestamp":"s3cret"}}`, "not a time as in RFC 3339"},
		"a list":               {`[]`, "should be a"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := parseCredentials([]byte(test.output), apiV1)
			switch {
			case test.want == "" && (err != nil || c.token != secret || c.cert != nil || !c.expires.IsZero()):
				t.Errorf("got %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error with %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), secret):
				t.Errorf("the error %q shows what was printed", err)
			}
		})
	}
}

func TestParseCertificateAndExpiry(t *testing.T) {
	pair := testcert.NewCA(t, "ca").Client(t, "alice")
	output := strings.Replace(certAnswer(pair, "t"), `"token"`, `"expirationTimestamp":"2030-01-02T03:04:05Z","token"`, 1)
	c, err := parseCredentials([]byte(output), apiV1)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	if c.cert.Leaf.Subject.CommonName != "alice" || !c.expires.Equal(at) || c.expired(at) || !c.expired(at.Add(1)) {
		t.Errorf("got %v, %v", c.cert.Leaf.Subject, c.expires)
	}
	other, err := parseCredentials([]byte(certAnswer(pair, "u")), apiV1)
	if err != nil || other.certSum != c.certSum || other.sum == c.sum {
		t.Errorf("another token with the same certificate is not seen as that (%v)", err)
	}
}

// Whatever a plugin prints: no panic, and either credentials that can be used or an error that quotes nothing.
func FuzzParseCredentials(f *testing.F) {
	pair := testcert.NewCA(f, "ca").Client(f, "alice")
	f.Add([]byte(tokenAnswer("one")), true)
	f.Add([]byte(certAnswer(pair, "")), true)
	f.Add([]byte(certAnswer(pair, "t")), false)
	f.Add([]byte(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"2030-01-02T03:04:05Z"}}`), true)
	f.Add([]byte(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":1}}`), true)
	f.Add([]byte(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientKeyData":"x"}}`), true)
	f.Add([]byte(`nonsense`), false)
	f.Fuzz(func(t *testing.T, output []byte, v1 bool) {
		version := apiV1
		if !v1 {
			version = apiV1Beta1
		}
		c, err := parseCredentials(output, version)
		if err == nil && c.token == "" && c.cert == nil {
			t.Error("credentials with nothing in them")
		}
		if err == nil {
			return
		}
		if len(err.Error()) > 400 {
			t.Errorf("a long error, which quotes something: %v", err)
		}
	})
}
