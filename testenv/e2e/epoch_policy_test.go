package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"vedette.dev/kubernetes"
	"vedette.dev/shardgroup"
)

// epochPolicy creates the policy of docs/replicas.md, for a user and a namespace of this test.
func epochPolicy(t *testing.T, client kubernetes.Interface, user, namespace string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/replicas.md")
	if err != nil {
		t.Fatal(err)
	}
	var policy admissionv1.ValidatingAdmissionPolicy
	var binding admissionv1.ValidatingAdmissionPolicyBinding
	for _, block := range strings.Split(string(page), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, one := range strings.Split(block, "---\n") {
			for kind, into := range map[string]any{"ValidatingAdmissionPolicy": &policy, "ValidatingAdmissionPolicyBinding": &binding} {
				if strings.Contains(one, "kind: "+kind+"\n") {
					if err := yaml.UnmarshalStrict([]byte(one), into); err != nil {
						t.Fatalf("docs/replicas.md: %s: %v", kind, err)
					}
				}
			}
		}
	}
	condition := &policy.Spec.MatchConditions[0]
	const documented = "system:serviceaccount:ops:copy"
	if !strings.Contains(condition.Expression, documented) {
		t.Fatalf("the policy is not for %s: %s", documented, condition.Expression)
	}
	condition.Expression = strings.ReplaceAll(condition.Expression, documented, user)
	policy.Name += "-" + namespace
	binding.Name, binding.Spec.PolicyName = policy.Name, policy.Name
	policy.Spec.MatchConstraints.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}}
	policies := client.AdmissionregistrationV1()
	if _, err := policies.ValidatingAdmissionPolicies().Create(t.Context(), &policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = policies.ValidatingAdmissionPolicies().Delete(context.Background(), policy.Name, metav1.DeleteOptions{})
		_ = policies.ValidatingAdmissionPolicyBindings().Delete(context.Background(), policy.Name, metav1.DeleteOptions{})
	})
}

// The policy of docs/replicas.md refuses writes at a lower epoch, also those that do not say which version they are for, and whatever
// was written between the time when they were sent and the time when they are stored.
func TestPolicyOnEpochs(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	namespace := newNamespace(t, client)
	config := adminConfig(t)
	me, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	epochPolicy(t, client, me.Status.UserInfo.Username, namespace)
	replica, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	maps := replica.CoreV1().ConfigMaps(namespace)
	_, err = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(ctx context.Context, epoch int64) error {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}},"data":{"n":"%d"}}`, shardgroup.EpochAnnotation, epoch, rand.Int())
		_, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
	// Until the API server has taken note of the policy.
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if err := write(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		if err = write(t.Context(), 9); apierrors.IsInvalid(err) && strings.Contains(err.Error(), "a later owner of the shard has written it, at epoch 10") {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("epoch 9 after epoch 10: %v", err)
		}
	}
	if _, err := maps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"annotations":null}}`), metav1.PatchOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("the epoch was taken away: %v", err)
	}
	begin, err := maps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("a write that leaves the epoch as it is: %v", err)
	}

	w, err := client.CoreV1().ConfigMaps(namespace).Watch(within(t, time.Minute), metav1.ListOptions{ResourceVersion: begin.ResourceVersion, FieldSelector: "metadata.name=a"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var writing sync.WaitGroup
	var mu sync.Mutex
	accepted, refused := 0, 0
	for range 8 {
		writing.Go(func() {
			for n := int64(0); ctx.Err() == nil; n++ {
				err := write(ctx, 11+n/10+rand.Int64N(8))
				mu.Lock()
				switch {
				case err == nil:
					accepted++
				case apierrors.IsInvalid(err):
					refused++
				}
				mu.Unlock()
			}
		})
	}
	writing.Wait()
	if err := write(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	versions, highest := 0, int64(0)
	for event := range w.ResultChan() {
		cm, ok := event.Object.(*corev1.ConfigMap)
		if !ok || event.Type != "MODIFIED" {
			continue
		}
		epoch, _ := strconv.ParseInt(cm.Annotations[shardgroup.EpochAnnotation], 10, 64)
		if versions++; epoch < highest {
			t.Errorf("version %s has epoch %d, after epoch %d", cm.ResourceVersion, epoch, highest)
		}
		if highest = max(highest, epoch); highest == 1<<40 {
			break
		}
	}
	t.Logf("%d writes accepted, %d refused, %d versions", accepted, refused, versions)
	if highest != 1<<40 || accepted < 20 || refused < 20 {
		t.Error("that is too few to tell anything")
	}
}
