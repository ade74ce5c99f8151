package v1beta1

import (
	"context"

	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/gentype"
)

// CertificateSigningRequestExpansion is what signing requests can do beyond the usual. (In v1 the method takes the name
// too, and is generated.)
type CertificateSigningRequestExpansion interface {
	// UpdateApproval writes the conditions that approve or deny the request.
	UpdateApproval(ctx context.Context, certificateSigningRequest *certificatesv1beta1.CertificateSigningRequest, opts metav1.UpdateOptions) (result *certificatesv1beta1.CertificateSigningRequest, err error)
}

func (c certificateSigningRequests) UpdateApproval(ctx context.Context, request *certificatesv1beta1.CertificateSigningRequest, opts metav1.UpdateOptions) (*certificatesv1beta1.CertificateSigningRequest, error) {
	return gentype.UpdateSubresource[certificatesv1beta1.CertificateSigningRequest](ctx, c, request.Name, "approval", request, opts)
}
