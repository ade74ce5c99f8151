package pods

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// status returns the status of a pod that is running and ready.
func status(s *shape, id *identity) corev1.PodStatus {
	out := corev1.PodStatus{
		ObservedGeneration: 1,
		Phase:              corev1.PodRunning,
		Conditions:         conditions(id),
		HostIP:             id.string(hostIP),
		HostIPs:            []corev1.HostIP{{IP: id.string(hostIP)}},
		PodIP:              id.string(podIP),
		PodIPs:             []corev1.PodIP{{IP: id.string(podIP)}},
		StartTime:          new(at(id, created)),
		QOSClass:           corev1.PodQOSBurstable,
		ContainerStatuses:  []corev1.ContainerStatus{containerStatus(id, s.app, s.image, s.imageID, containerID)},
	}
	app := &out.ContainerStatuses[0]
	app.Resources = new(resources("250m", "512Mi", "1Gi"))
	app.AllocatedResources = corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("250m"),
		corev1.ResourceMemory: resource.MustParse("512Mi"),
	}
	if s.sidecar {
		const digest = "sha256:2d2a3ff5a8a5b1c1f4a7e0c5c2a9b8d7e6f5041323a4b5c6d7e8f90a1b2c3d4e"
		id := containerStatus(id, sidecarName, sidecarImage, "registry.example.com/mesh/proxy@"+digest, sidecarID)
		out.ContainerStatuses = append(out.ContainerStatuses, id)
	}
	return out
}

func conditions(id *identity) []corev1.PodCondition {
	condition := func(kind corev1.PodConditionType, since moment) corev1.PodCondition {
		return corev1.PodCondition{
			Type: kind, ObservedGeneration: 1, Status: corev1.ConditionTrue, LastTransitionTime: at(id, since),
		}
	}
	return []corev1.PodCondition{
		condition(corev1.PodReadyToStartContainers, started),
		condition(corev1.PodInitialized, created),
		condition(corev1.PodReady, ready),
		condition(corev1.ContainersReady, ready),
		condition(corev1.PodScheduled, created),
	}
}

func containerStatus(id *identity, name, image, imageID string, container field) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name:        name,
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(id, started)}},
		Ready:       true,
		Image:       image,
		ImageID:     imageID,
		ContainerID: "containerd://" + id.string(container),
		Started:     new(true),
		VolumeMounts: []corev1.VolumeMountStatus{{
			Name: tokenName(id), MountPath: tokenPath, ReadOnly: true, RecursiveReadOnly: new(corev1.RecursiveReadOnlyDisabled),
		}},
	}
}
