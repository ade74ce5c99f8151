package harness

import "testing"

func TestGroups(t *testing.T) {
	var all []Workload
	for _, together := range []string{"", "", "a", "a", "b", "", "b"} {
		all = append(all, Workload{Together: together})
	}
	var got []int
	for _, g := range groups(all) {
		got = append(got, len(g))
	}
	want := []int{1, 1, 2, 1, 1, 1}
	if len(got) != len(want) {
		t.Fatalf("groups of %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("groups of %v, want %v", got, want)
		}
	}
}

func TestRepeats(t *testing.T) {
	for limit, want := range map[int]int{0: 5, 3: 3, 9: 5} {
		if got := (Suite{Repeats: 5}).repeats(Workload{MaxRepeats: limit}); got != want {
			t.Errorf("%d repeats with a limit of %d, want %d", got, limit, want)
		}
	}
}
