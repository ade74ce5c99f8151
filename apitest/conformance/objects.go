package conformance

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func configMap(name string, data ...string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for i := 0; i < len(data); i += 2 {
		if c.Data == nil {
			c.Data = map[string]string{}
		}
		c.Data[data[i]] = data[i+1]
	}
	return c
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
	}
}

func deployment(name string) *appsv1.Deployment {
	labels, replicas := map[string]string{"app": name}, int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("").Spec},
		},
	}
}

// create makes a config map, which is the kind that has the fewest rules of its own.
func (e *env) create(c *corev1.ConfigMap) *corev1.ConfigMap {
	e.Helper()
	c, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
	e.must(err)
	return c
}

func (e *env) update(c *corev1.ConfigMap) *corev1.ConfigMap {
	e.Helper()
	c, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
	e.must(err)
	return c
}

func (e *env) read(name string) *corev1.ConfigMap {
	e.Helper()
	c, err := e.configMaps().Get(e.ctx, name, metav1.GetOptions{})
	e.must(err)
	return c
}

func (e *env) delete(name string) {
	e.Helper()
	e.must(e.configMaps().Delete(e.ctx, name, metav1.DeleteOptions{}))
}

// gone checks that there is no such config map.
func (e *env) gone(name string) {
	e.Helper()
	_, err := e.configMaps().Get(e.ctx, name, metav1.GetOptions{})
	e.refused(err, notFound("configmaps", name))
}

func (e *env) list(opts metav1.ListOptions) *corev1.ConfigMapList {
	e.Helper()
	l, err := e.configMaps().List(e.ctx, opts)
	e.must(err)
	return l
}

func namesOf(l *corev1.ConfigMapList) []string {
	names := make([]string, 0, len(l.Items))
	for i := range l.Items {
		names = append(names, l.Items[i].Name)
	}
	return names
}

func (e *env) createPod(p *corev1.Pod) *corev1.Pod {
	e.Helper()
	p, err := e.pods().Create(e.ctx, p, metav1.CreateOptions{})
	e.must(err)
	return p
}

func (e *env) createDeployment(d *appsv1.Deployment) *appsv1.Deployment {
	e.Helper()
	d, err := e.deployments().Create(e.ctx, d, metav1.CreateOptions{})
	e.must(err)
	return d
}
