package conformance

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var selecting = []behaviour{
	{"by labels, with every operator", func(e *env) {
		for name, labels := range map[string]map[string]string{
			"a": {"tier": "web", "n": "1"}, "b": {"tier": "db", "n": "20"}, "c": {"n": "3"}, "d": nil, "e": {"tier": "", "example.com/x": "y"},
		} {
			c := configMap(name)
			c.Labels = labels
			e.create(c)
		}
		for selector, want := range map[string][]string{
			"tier=web":              {"a"},
			"tier==web":             {"a"},
			"tier!=web":             {"b", "c", "d", "e"},
			"tier in (web,db)":      {"a", "b"},
			"tier notin (web, db)":  {"c", "d", "e"},
			"tier":                  {"a", "b", "e"},
			"!tier":                 {"c", "d"},
			"tier=":                 {"e"},
			"n>2":                   {"b", "c"},
			"n<20,n":                {"a", "c"},
			"tier in (web,db),n!=1": {"b"},
			"example.com/x=y":       {"e"},
			"none=here":             {},
			"":                      {"a", "b", "c", "d", "e"},
		} {
			e.equal(selector, namesOf(e.list(metav1.ListOptions{LabelSelector: selector})), want)
		}
	}},
	{"a label selector that is none is refused", func(e *env) {
		for _, selector := range []string{"a==b==c", "!!", "a in", "a in b", "a=b c", "=x", "a>x", "a b"} {
			_, err := e.configMaps().List(e.ctx, metav1.ListOptions{LabelSelector: selector})
			if e.refused(err, badRequest("")); e.Failed() {
				e.Fatalf("selector %q", selector)
			}
		}
	}},
	{"by name and namespace", func(e *env) {
		e.fill(3)
		for selector, want := range map[string][]string{
			"metadata.name=c1":                               {"c1"},
			"metadata.name==c1":                              {"c1"},
			"metadata.name!=c1":                              {"c0", "c2"},
			"metadata.name!=c1,metadata.name!=c2":            {"c0"},
			"metadata.namespace=" + e.ns:                     {"c0", "c1", "c2"},
			"metadata.namespace=other":                       {},
			"metadata.name=c1,metadata.namespace!=" + e.ns:   {},
			"metadata.name=c2,metadata.namespace==" + e.ns:   {"c2"},
			"metadata.name=c0,metadata.namespace=elsewhere-": {},
		} {
			e.equal(selector, namesOf(e.list(metav1.ListOptions{FieldSelector: selector})), want)
		}
	}},
	{"by the fields of pods", func(e *env) {
		on := pod("on-node")
		on.Spec.NodeName, on.Spec.RestartPolicy = "node-1", corev1.RestartPolicyNever
		on = e.createPod(on)
		e.createPod(pod("pending"))
		on.Status.Phase, on.Status.PodIP = corev1.PodRunning, "10.1.2.3"
		on.Status.PodIPs = []corev1.PodIP{{IP: "10.1.2.3"}}
		_, err := e.pods().UpdateStatus(e.ctx, on, metav1.UpdateOptions{})
		e.must(err)
		for selector, want := range map[string][]string{
			"spec.nodeName=node-1":                       {"on-node"},
			"spec.nodeName=":                             {"pending"},
			"status.phase=Running":                       {"on-node"},
			"status.phase!=Running":                      {"pending"},
			"spec.restartPolicy=Never":                   {"on-node"},
			"status.podIP=10.1.2.3":                      {"on-node"},
			"spec.schedulerName=default-scheduler":       {"on-node", "pending"},
			"spec.nodeName=node-1,status.phase=Pending":  {},
			"metadata.name=on-node,status.phase=Running": {"on-node"},
		} {
			l, err := e.pods().List(e.ctx, metav1.ListOptions{FieldSelector: selector})
			e.must(err)
			names := []string{}
			for _, p := range l.Items {
				names = append(names, p.Name)
			}
			e.equal(selector, names, want)
		}
	}},
	{"by the type of a secret and the object of an event", func(e *env) {
		secrets := e.kube.CoreV1().Secrets(e.namespace())
		for name, kind := range map[string]corev1.SecretType{"a": "Opaque", "b": "example.com/x"} {
			_, err := secrets.Create(e.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Type: kind}, metav1.CreateOptions{})
			e.must(err)
		}
		if l, err := secrets.List(e.ctx, metav1.ListOptions{FieldSelector: "type=example.com/x"}); err != nil || len(l.Items) != 1 || l.Items[0].Name != "b" {
			e.Errorf("%+v, %v", l, err)
		}
		events := e.kube.CoreV1().Events(e.ns)
		for _, name := range []string{"x", "y"} {
			_, err := events.Create(e.ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: name}, Reason: "Because", Type: "Normal",
				InvolvedObject: corev1.ObjectReference{Namespace: e.ns, Name: name, Kind: "Pod"}}, metav1.CreateOptions{})
			e.must(err)
		}
		if l, err := events.List(e.ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=y,reason=Because,type=Normal"}); err != nil || len(l.Items) != 1 || l.Items[0].Name != "y" {
			e.Errorf("%+v, %v", l, err)
		}
	}},
	{"a field that cannot be selected by is refused", func(e *env) {
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{FieldSelector: "data.k=v"})
		e.refused(err, badRequest(`"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"`))
		_, err = e.pods().List(e.ctx, metav1.ListOptions{FieldSelector: "spec.image=x"})
		e.refused(err, badRequest("field label not supported: spec.image"))
		_, err = e.configMaps().Watch(e.ctx, metav1.ListOptions{FieldSelector: "data.k=v"})
		e.refused(err, badRequest("not a known field selector"))
	}},
	{"a field selector that is none is refused", func(e *env) {
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{FieldSelector: "metadata.name"})
		e.refused(err, badRequest("invalid selector: 'metadata.name'; can't understand 'metadata.name'"))
	}},
	{"labels and fields together", func(e *env) {
		e.fill(4)
		l := e.list(metav1.ListOptions{LabelSelector: "odd=true", FieldSelector: "metadata.name!=c1"})
		e.equal("names", namesOf(l), []string{"c3"})
	}},
}
