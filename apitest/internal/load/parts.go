package load

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// parts are those of a spec that all pods of a shape share in memory, too.
//
// Invariant: what is in it does not change.
type parts struct {
	application, proxy corev1.Container
	config             corev1.Volume
	token              *corev1.ProjectedVolumeSource
	grace              *int64
	priority           *int32
	serviceLinks       *bool
	preemption         *corev1.PreemptionPolicy
	podSecurity        *corev1.PodSecurityContext
	pullSecrets        []corev1.LocalObjectReference
	affinity           *corev1.Affinity
	tolerations        []corev1.Toleration
	spreading          []corev1.TopologySpreadConstraint
}

func newParts(s *shape) *parts {
	p := &parts{
		application:  applicationContainer(s),
		proxy:        proxyContainer(),
		config:       configVolume(s),
		token:        tokenSource(),
		grace:        new(int64(30)),
		priority:     new(int32(0)),
		serviceLinks: new(true),
		preemption:   new(corev1.PreemptLowerPriority),
		podSecurity:  &corev1.PodSecurityContext{RunAsNonRoot: new(true), FSGroup: new(int64(2000))},
		pullSecrets:  []corev1.LocalObjectReference{{Name: "image-credentials"}},
		affinity:     affinity(s),
		tolerations:  tolerations(s),
	}
	if s.spread {
		p.spreading = spread(s)
	}
	return p
}

func applicationContainer(s *shape) corev1.Container {
	return corev1.Container{
		Name:  s.app,
		Image: s.image,
		Args:  []string{"--config=/etc/config/application.yaml", "--log-format=json"},
		Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: s.port, Protocol: corev1.ProtocolTCP},
			{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
		},
		Env:                      s.env,
		Resources:                resources("250m", "512Mi", "1Gi"),
		LivenessProbe:            probe("/healthz/live", "http"),
		ReadinessProbe:           probe("/healthz/ready", "http"),
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

func proxyContainer() corev1.Container {
	return corev1.Container{
		Name:                     sidecarName,
		Image:                    sidecarImage,
		Args:                     []string{"proxy", "sidecar", "--concurrency=2"},
		Ports:                    []corev1.ContainerPort{{Name: "status", ContainerPort: sidecarPort, Protocol: corev1.ProtocolTCP}},
		Resources:                resources("50m", "64Mi", "128Mi"),
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

func tokenSource() *corev1.ProjectedVolumeSource {
	namespace := corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}
	return &corev1.ProjectedVolumeSource{DefaultMode: new(int32(420)), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &namespace}}}},
	}}
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

func spread(s *shape) []corev1.TopologySpreadConstraint {
	return []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selector(s),
	}}
}
