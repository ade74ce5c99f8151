package leaderelection

import "testing"

// The config's provider wins over the global one, of which only the first counts.
func TestProviders(t *testing.T) {
	defer func() { globalProvider.provider = nil }()
	first, second, own := &countingMetric{}, &countingMetric{}, &countingMetric{}
	if _, ok := newLeaderMetric(nil).(noMetric); !ok {
		t.Error("a metric without a provider")
	}
	SetProvider(first)
	SetProvider(second)
	newLeaderMetric(nil).On("x")
	newLeaderMetric(own).Off("x")
	newLeaderMetric(nilProvider{}).SlowpathExercised("x")
	if first.String() != "on" || second.String() != "" || own.String() != "off" {
		t.Errorf("%q, %q, %q", first, second, own)
	}
}

type nilProvider struct{}

func (nilProvider) NewLeaderMetric() LeaderMetric { return nil }
