package replicas

import (
	"context"
	"os"
	"testing"
	"time"

	"vedette.dev/internal/testsize"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// Replicas as processes are harmed for a while. `make replicas FOR=20m` does so for longer.
func TestCampaign(t *testing.T) {
	c := Campaign{For: testsize.Of(100*time.Second, 20*time.Second), Seed: uint64(time.Now().UnixNano()), Replicas: 5, Objects: 2000, Namespaces: 10, Key: "name", Rate: 20}
	s, err := NewScene(t.Context(), t.Output(), Setup{Key: c.Key, Shards: 64, Workers: 4, IO: 10 * time.Millisecond}, c.Objects, c.Namespaces)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Run(context.Background(), s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report)
	for _, err := range report.Violations {
		t.Error(err)
	}
	if report.Acts < c.Objects || report.Writes < c.Objects || len(report.Ages) < c.Objects {
		t.Errorf("%d acts, %d versions, and %d reconciles are too few to tell anything", report.Acts, report.Writes, len(report.Ages))
	}
}
