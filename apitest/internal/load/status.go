package load

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// status is that of a pod that is running and ready.
func status(o *owner, id *identity) corev1.PodStatus {
	out := corev1.PodStatus{
		ObservedGeneration: 1,
		Phase:              corev1.PodRunning,
		Conditions:         conditions(id),
		HostIP:             id.hostIP,
		HostIPs:            []corev1.HostIP{{IP: id.hostIP}},
		PodIP:              id.podIP,
		PodIPs:             []corev1.PodIP{{IP: id.podIP}},
		StartTime:          &id.created,
		QOSClass:           corev1.PodQOSBurstable,
		ContainerStatuses:  []corev1.ContainerStatus{containerStatus(o, id, o.app, o.image, o.imageID, id.container)},
	}
	app := &out.ContainerStatuses[0]
	app.Resources = &o.application.Resources
	app.AllocatedResources = o.application.Resources.Requests
	if o.sidecar {
		const digest = "sha256:2d2a3ff5a8a5b1c1f4a7e0c5c2a9b8d7e6f5041323a4b5c6d7e8f90a1b2c3d4e"
		out.ContainerStatuses = append(out.ContainerStatuses,
			containerStatus(o, id, sidecarName, sidecarImage, "images.example.com/mesh/proxy@"+digest, id.sidecar))
	}
	return out
}

func conditions(id *identity) []corev1.PodCondition {
	condition := func(kind corev1.PodConditionType, since metav1.Time) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, ObservedGeneration: 1, Status: corev1.ConditionTrue, LastTransitionTime: since}
	}
	return []corev1.PodCondition{
		condition(corev1.PodReadyToStartContainers, id.started),
		condition(corev1.PodInitialized, id.created),
		condition(corev1.PodReady, id.readySince),
		condition(corev1.ContainersReady, id.readySince),
		condition(corev1.PodScheduled, id.created),
	}
}

func containerStatus(o *owner, id *identity, name, image, imageID, containerID string) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name:        name,
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: id.started}},
		Ready:       true,
		Image:       image,
		ImageID:     imageID,
		ContainerID: containerID,
		Started:     o.serviceLinks, // true
		VolumeMounts: []corev1.VolumeMountStatus{{
			Name: tokenName(id), MountPath: tokenPath, ReadOnly: true, RecursiveReadOnly: &readOnly,
		}},
	}
}

var readOnly = corev1.RecursiveReadOnlyDisabled
