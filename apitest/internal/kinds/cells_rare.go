package kinds

import (
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// rareCells are of kinds that few people look at.
func rareCells(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *certificatesv1.CertificateSigningRequest:
		return signingRequestCells(o)
	case *flowcontrolv1.FlowSchema:
		return flowSchemaCells(o)
	case *flowcontrolv1.PriorityLevelConfiguration:
		return priorityLevelCells(o)
	case *storagev1.CSIDriver:
		return driverCells(o)
	case *corev1.ComponentStatus:
		return []any{o.Name, "Unknown", "", ""}
	case *admissionv1.ValidatingAdmissionPolicy:
		return []any{o.Name, int64(len(o.Spec.Validations)), paramKindCell(o.Spec.ParamKind), age(o.CreationTimestamp)}
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, paramRefCell(o.Spec.ParamRef), age(o.CreationTimestamp)}
	case *admissionv1.MutatingAdmissionPolicy:
		return []any{o.Name, int64(len(o.Spec.Mutations)), paramKindCell(o.Spec.ParamKind), age(o.CreationTimestamp)}
	case *admissionv1.MutatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, paramRefCell(o.Spec.ParamRef), age(o.CreationTimestamp)}
	}
	return nil
}

func signingRequestCells(r *certificatesv1.CertificateSigningRequest) []any {
	has := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range r.Status.Conditions {
		has[c.Type] = true
	}
	status := "Pending"
	switch {
	case has[certificatesv1.CertificateDenied]:
		status = "Denied"
	case has[certificatesv1.CertificateApproved]:
		status = "Approved"
	}
	if has[certificatesv1.CertificateFailed] {
		status += ",Failed"
	}
	if len(r.Status.Certificate) > 0 {
		status += ",Issued"
	}
	lasts := "<none>"
	if r.Spec.ExpirationSeconds != nil {
		lasts = duration.HumanDuration(time.Duration(*r.Spec.ExpirationSeconds) * time.Second)
	}
	return []any{r.Name, age(r.CreationTimestamp), or(r.Spec.SignerName, "<none>"), r.Spec.Username, lasts, status}
}

func flowSchemaCells(f *flowcontrolv1.FlowSchema) []any {
	method, missing := "<none>", "?"
	if f.Spec.DistinguisherMethod != nil {
		method = string(f.Spec.DistinguisherMethod.Type)
	}
	for _, c := range f.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			missing = string(c.Status)
		}
	}
	return []any{f.Name, f.Spec.PriorityLevelConfiguration.Name, int64(f.Spec.MatchingPrecedence), method, age(f.CreationTimestamp), missing}
}

func priorityLevelCells(p *flowcontrolv1.PriorityLevelConfiguration) []any {
	var shares, queues, hand, limit any = "<none>", "<none>", "<none>", "<none>"
	if l := p.Spec.Limited; l != nil {
		shares = number(l.NominalConcurrencyShares)
		if q := l.LimitResponse.Queuing; q != nil {
			queues, hand, limit = int64(q.Queues), int64(q.HandSize), int64(q.QueueLengthLimit)
		}
	}
	return []any{p.Name, string(p.Spec.Type), shares, queues, hand, limit, age(p.CreationTimestamp)}
}

func driverCells(d *storagev1.CSIDriver) []any {
	is := func(b *bool) bool { return b != nil && *b }
	tokens := "<unset>"
	if d.Spec.TokenRequests != nil {
		var audiences []string
		for _, t := range d.Spec.TokenRequests {
			audiences = append(audiences, t.Audience)
		}
		tokens = strings.Join(audiences, ",")
	}
	var modes []string
	for _, m := range d.Spec.VolumeLifecycleModes {
		modes = append(modes, string(m))
	}
	return []any{d.Name, d.Spec.AttachRequired == nil || *d.Spec.AttachRequired, is(d.Spec.PodInfoOnMount), is(d.Spec.StorageCapacity),
		tokens, is(d.Spec.RequiresRepublish), or(strings.Join(modes, ","), "<none>"), age(d.CreationTimestamp)}
}

func paramKindCell(k *admissionv1.ParamKind) string {
	if k == nil {
		return "<unset>"
	}
	return k.APIVersion + "/" + k.Kind
}

func paramRefCell(r *admissionv1.ParamRef) string {
	switch {
	case r == nil:
		return "<unset>"
	case r.Name != "":
		return or(r.Namespace, "*") + "/" + r.Name
	case r.Selector != nil:
		return metav1.FormatLabelSelector(r.Selector)
	}
	return "<unset>"
}
