package record

import (
	"crypto/rand"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxMessage is the maximum length of a message in bytes. A server accepts longer ones with core/v1, but the size of
// queues has to be bounded. (With events.k8s.io/v1 it accepts 1,024; that sink truncates the note.)
const maxMessage = 16 << 10

// happening holds the arguments of a recorder's methods.
type happening struct {
	about, related                *corev1.ObjectReference
	annotations                   map[string]string
	kind, reason, action, message string
}

// event creates an event. Its name is unique within a process.
func (h *happening) event(source corev1.EventSource, now time.Time, moment int64) *corev1.Event {
	namespace := h.about.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	at := metav1.NewTime(now)
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Name:        eventName(h.about.Name, moment),
			Namespace:   namespace,
			Annotations: maps.Clone(h.annotations), // the caller may modify its map
		},
		InvolvedObject:      *h.about,
		Related:             h.related,
		Type:                h.kind,
		Reason:              h.reason,
		Action:              h.action,
		Message:             shortened(h.message),
		Count:               1,
		FirstTimestamp:      at,
		LastTimestamp:       at,
		Source:              source,
		ReportingController: source.Component,
		ReportingInstance:   source.Host,
	}
}

// eventName returns the name of the object with the time as suffix or, if that is not a valid name, a random one.
func eventName(object string, moment int64) string {
	name := fmt.Sprintf("%s.%x", object, moment)
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return name
	}
	return newUUID()
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

const ellipsis = "…"

// shortened truncates a message that is too long, between two characters, and replaces invalid UTF-8.
func shortened(message string) string {
	if len(message) > maxMessage {
		end := maxMessage - len(ellipsis)
		for end > maxMessage-2*utf8.UTFMax && !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end] + ellipsis
	}
	return strings.ToValidUTF8(message, string(utf8.RuneError))
}
