package e2e

import (
	"fmt"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/shard"
)

// Names of roles may have letters in them that keys have a meaning for.
func TestShardingOfOddNames(t *testing.T) {
	client := newClientset(t)
	for i := range 20 {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("odd|name:%02d", i)}}
		if _, err := client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	informer, ledger := runSharded(t, shard.Config[*rbacv1.ClusterRole]{
		Resource: rbacv1.SchemeGroupVersion.WithResource("clusterroles"), REST: closing(t, adminConfig(t)), Source: shard.Hash(shard.ByUID(), 2),
	})
	awaitSync(t, informer)
	all := func() int {
		list, err := client.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}()
	check := func(when string) {
		t.Helper()
		if n := len(informer.GetStore().ListKeys()); n != all {
			t.Errorf("%s, the informer has %d roles, the server %d", when, n, all)
		}
		ledger.mu.Lock()
		defer ledger.mu.Unlock()
		if len(ledger.lost) > 0 {
			t.Errorf("%s, shards were lost: %v", when, ledger.lost)
		}
	}
	check("in the beginning")
	if _, err := informer.Resize(3); err != nil {
		t.Fatal(err)
	}
	check("with three shards")
}
