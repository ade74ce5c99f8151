package pods

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	tokenPath    = "/var/run/secrets/kubernetes.io/serviceaccount"
	sidecarName  = "mesh-proxy"
	sidecarImage = "registry.example.com/mesh/proxy:v1.27.3"
	sidecarPort  = 15021
)

// spec is complete: with the defaults that the server has filled in.
func spec(s *shape, id *identity) corev1.PodSpec {
	p := corev1.PodSpec{
		Volumes:                       []corev1.Volume{configVolume(s), scratchVolume(), tokenVolume(id)},
		Containers:                    []corev1.Container{application(s, id)},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		TerminationGracePeriodSeconds: new(int64(30)),
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            s.app,
		DeprecatedServiceAccount:      s.app,
		NodeName:                      node(id),
		SecurityContext:               &corev1.PodSecurityContext{RunAsNonRoot: new(true), FSGroup: new(int64(2000))},
		ImagePullSecrets:              []corev1.LocalObjectReference{{Name: "registry-credentials"}},
		Affinity:                      affinity(s),
		SchedulerName:                 corev1.DefaultSchedulerName,
		Tolerations:                   tolerations(s),
		Priority:                      new(int32(0)),
		EnableServiceLinks:            new(true),
		PreemptionPolicy:              new(corev1.PreemptLowerPriority),
	}
	if s.sidecar {
		p.Containers = append(p.Containers, sidecar(id))
	}
	if s.spread {
		p.TopologySpreadConstraints = spread(s)
	}
	return p
}

func application(s *shape, id *identity) corev1.Container {
	return corev1.Container{
		Name:  s.app,
		Image: s.image,
		Args:  []string{"--config=/etc/config/application.yaml", "--log-format=json", "--listen=0.0.0.0:8080"},
		Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: s.port, Protocol: corev1.ProtocolTCP},
			{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
		},
		Env:       s.env,
		Resources: resources("250m", "512Mi", "1Gi"),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", ReadOnly: true, MountPath: "/etc/config"},
			{Name: "scratch", MountPath: "/tmp"},
			tokenMount(id),
		},
		LivenessProbe:            probe("/healthz/live", "http"),
		ReadinessProbe:           probe("/healthz/ready", "http"),
		StartupProbe:             probe("/healthz/started", "http"),
		Lifecycle:                &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 5}}},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy:          corev1.PullIfNotPresent,
		SecurityContext: &corev1.SecurityContext{
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			ReadOnlyRootFilesystem:   new(true),
			AllowPrivilegeEscalation: new(false),
		},
	}
}

func sidecar(id *identity) corev1.Container {
	return corev1.Container{
		Name:                     sidecarName,
		Image:                    sidecarImage,
		Args:                     []string{"proxy", "sidecar", "--concurrency=2"},
		Ports:                    []corev1.ContainerPort{{Name: "status", ContainerPort: sidecarPort, Protocol: corev1.ProtocolTCP}},
		Resources:                resources("50m", "64Mi", "128Mi"),
		VolumeMounts:             []corev1.VolumeMount{tokenMount(id)},
		ReadinessProbe:           probe("/ready", "status"),
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy:          corev1.PullIfNotPresent,
	}
}

func resources(cpu, memory, limit string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)},
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse(cpu),
			corev1.ResourceMemory: resource.MustParse(memory),
		},
	}
}

func probe(path, port string) *corev1.Probe {
	get := &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(port), Scheme: corev1.URISchemeHTTP}
	return &corev1.Probe{
		ProbeHandler:   corev1.ProbeHandler{HTTPGet: get},
		TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

func configVolume(s *shape) corev1.Volume {
	source := &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: s.app + "-config"}, DefaultMode: new(int32(420)),
	}
	return corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: source}}
}

func scratchVolume() corev1.Volume {
	return corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

func tokenName(id *identity) string { return "kube-api-access-" + id.string(tokenSuffix) }

func tokenMount(id *identity) corev1.VolumeMount {
	return corev1.VolumeMount{Name: tokenName(id), ReadOnly: true, MountPath: tokenPath}
}

// tokenVolume is what the server mounts into every pod.
func tokenVolume(id *identity) corev1.Volume {
	namespace := corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}
	source := &corev1.ProjectedVolumeSource{DefaultMode: new(int32(420)), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &namespace}}}},
	}}
	return corev1.Volume{Name: tokenName(id), VolumeSource: corev1.VolumeSource{Projected: source}}
}

func tolerations(s *shape) []corev1.Toleration {
	toleration := func(key string) corev1.Toleration {
		return corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
		}
	}
	out := []corev1.Toleration{toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")}
	if s.toleratesSpot {
		spot := corev1.Toleration{Key: "example.com/spot", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule}
		out = append([]corev1.Toleration{spot}, out...)
	}
	return out
}

// affinity keeps to nodes of one kind, and away from pods of the same application.
func affinity(s *shape) *corev1.Affinity {
	return &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelArchStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"amd64"}},
			}}},
		}},
		PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{LabelSelector: selector(s), TopologyKey: corev1.LabelHostname}},
		}},
	}
}

func selector(s *shape) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": s.app}}
}

func spread(s *shape) []corev1.TopologySpreadConstraint {
	constraint := func(key string) corev1.TopologySpreadConstraint {
		return corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: selector(s),
		}
	}
	return []corev1.TopologySpreadConstraint{constraint(corev1.LabelTopologyZone), constraint(corev1.LabelHostname)}
}
