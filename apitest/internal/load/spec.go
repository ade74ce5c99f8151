package load

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	tokenPath    = "/var/run/secrets/kubernetes.io/serviceaccount"
	sidecarName  = "mesh-proxy"
	sidecarImage = "images.example.com/mesh/proxy:v1.27.3"
	sidecarPort  = 15021
)

// spec is complete: with the defaults that the server has filled in.
func spec(o *owner, id *identity) corev1.PodSpec {
	p := corev1.PodSpec{
		Volumes:                       []corev1.Volume{o.config, scratchVolume, tokenVolume(o, id)},
		Containers:                    []corev1.Container{application(o, id)},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		TerminationGracePeriodSeconds: o.grace,
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            o.app,
		DeprecatedServiceAccount:      o.app,
		NodeName:                      id.node,
		SecurityContext:               o.podSecurity,
		ImagePullSecrets:              o.pullSecrets,
		Affinity:                      o.affinity,
		SchedulerName:                 corev1.DefaultSchedulerName,
		Tolerations:                   o.tolerations,
		Priority:                      o.priority,
		EnableServiceLinks:            o.serviceLinks,
		PreemptionPolicy:              o.preemption,
		TopologySpreadConstraints:     o.spreading,
	}
	if o.sidecar {
		p.Containers = append(p.Containers, proxy(o, id))
	}
	return p
}

func application(o *owner, id *identity) corev1.Container {
	c := o.application
	c.VolumeMounts = []corev1.VolumeMount{
		{Name: "config", ReadOnly: true, MountPath: "/etc/config"},
		{Name: "scratch", MountPath: "/tmp"},
		tokenMount(id),
	}
	return c
}

func proxy(o *owner, id *identity) corev1.Container {
	c := o.proxy
	c.VolumeMounts = []corev1.VolumeMount{tokenMount(id)}
	return c
}

var scratchVolume = corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}

func tokenName(id *identity) string { return "kube-api-access-" + id.token }

func tokenMount(id *identity) corev1.VolumeMount {
	return corev1.VolumeMount{Name: tokenName(id), ReadOnly: true, MountPath: tokenPath}
}

// tokenVolume is what the server mounts into every pod.
func tokenVolume(o *owner, id *identity) corev1.Volume {
	return corev1.Volume{Name: tokenName(id), VolumeSource: corev1.VolumeSource{Projected: o.token}}
}

func selector(s *shape) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": s.app}}
}
