package serve

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const issuer = "https://kubernetes.default.svc"

// issued are the tokens that were created for service accounts.
type issued struct {
	mu     sync.Mutex
	tokens map[string]issuedToken
}

type issuedToken struct {
	user    User
	expires time.Time
}

// find returns the user of a token, if it has not expired.
func (i *issued) find(token string) (User, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	known, ok := i.tokens[token]
	return known.user, ok && time.Now().Before(known.expires)
}

func (i *issued) add(token string, user User, expires time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.tokens == nil {
		i.tokens = map[string]issuedToken{}
	}
	i.tokens[token] = issuedToken{user, expires}
}

// requestToken creates a token for a service account. It looks like a real one, but only this server accepts it.
func (s *Server) requestToken(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	obj, err := decodeAs(r, authenticationv1.SchemeGroupVersion.WithKind("TokenRequest"))
	if err != nil {
		return err
	}
	c := s.callOf(r)
	item, err := c.item()
	if err != nil {
		return err
	}
	account := metaOf(item.Object)
	request := obj.(*authenticationv1.TokenRequest)
	request.Name, request.Namespace, request.UID = account.GetName(), account.GetNamespace(), account.GetUID()
	request.CreationTimestamp = account.GetCreationTimestamp()
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = []string{issuer}
	}
	if request.Spec.ExpirationSeconds == nil {
		hour := int64(time.Hour / time.Second)
		request.Spec.ExpirationSeconds = &hour
	}
	now := time.Now()
	expires := now.Add(time.Duration(*request.Spec.ExpirationSeconds) * time.Second)
	user := User{Name: "system:serviceaccount:" + c.namespace + ":" + c.name, UID: string(account.GetUID()), Groups: []string{
		"system:serviceaccounts", "system:serviceaccounts:" + c.namespace, "system:authenticated",
	}}
	token := serviceAccountToken(request.Spec.Audiences, c.namespace, c.name, account.GetUID(), now, expires)
	s.issued.add(token, user, expires)
	request.Status = authenticationv1.TokenRequestStatus{Token: token, ExpirationTimestamp: metav1.NewTime(expires).Rfc3339Copy()}
	request.SetGroupVersionKind(authenticationv1.SchemeGroupVersion.WithKind("TokenRequest"))
	writeObject(w, r.Request, http.StatusCreated, request, output{media: out.media, pretty: out.pretty})
	return nil
}

func serviceAccountToken(audiences []string, namespace, name string, uid types.UID, now, expires time.Time) string {
	claims, err := json.Marshal(map[string]any{
		"aud": audiences, "exp": expires.Unix(), "iat": now.Unix(), "nbf": now.Unix(), "iss": issuer, "jti": newUID(),
		"sub": "system:serviceaccount:" + namespace + ":" + name,
		"kubernetes.io": map[string]any{
			"namespace": namespace, "serviceaccount": map[string]any{"name": name, "uid": uid},
		},
	})
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	signature := make([]byte, 64)
	_, _ = rand.Read(signature) // never fails
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"ES256","kid":"apitest"}`)) + "." + encode(claims) + "." + encode(signature)
}
