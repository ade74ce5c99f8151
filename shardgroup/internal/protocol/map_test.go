package protocol

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func example() *Map {
	return &Map{ID: "id", Seq: 7, Key: "namespace", Base: 1700000000, Coordinators: []Member{"a", "b"}, Shards: []Shard{
		{Epoch: 1700000000},
		{Epoch: 1700000003, Phase: Owned, Owner: "a"},
		{Epoch: 1700000004, Phase: Preparing, Owner: "a", Target: "b"},
		{Epoch: 1700000005, Phase: Draining, Owner: "b", Target: "c"},
		{Epoch: 1700000006, Phase: Draining, Owner: "b"},
	}}
}

func TestMapIsReadAsItWasWritten(t *testing.T) {
	for _, m := range []*Map{example(), New("id", "uid", 3, 17)} {
		got, err := Parse(m.Bytes())
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v, %v, want %+v", got, err, m)
		}
	}
}

func TestMapIsSmall(t *testing.T) {
	m := New("id", "namespace", 4096, 1700000000)
	for i := range m.Shards {
		m.Shards[i] = Shard{Epoch: m.Base + 1000, Phase: Owned, Owner: Member("operator-7d9c5b8f6d-x2k4j-1a2b3c4d" + string(rune('a'+i%26)) + string(rune('a'+i/26%4)))}
	}
	if n := len(m.Bytes()); n > 64<<10 {
		t.Errorf("a map of 4096 shards and 104 members has %d bytes", n)
	}
}

func TestParseRefusesWhatIsWrong(t *testing.T) {
	good := string(example().Bytes())
	for name, tt := range map[string]struct {
		text string
		is   error
		want string
	}{
		"empty":          {"", nil, "the map is not valid"},
		"no JSON":        {"{", nil, "the map is not valid"},
		"newer":          {strings.Replace(good, `"version":1`, `"version":2`, 1), ErrVersion, "the map has version 2, this program knows 1"},
		"another owner":  {strings.Replace(good, "3@0", "3@1", 1), ErrEdited, "the map was edited"},
		"no ID":          {string((&Map{Key: "uid", Shards: make([]Shard, 1)}).Bytes()), nil, "it has no ID"},
		"another number": {strings.Replace(good, `"base":17`, `"base":18`, 1), ErrEdited, "the map was edited"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseShardRefusesWhatIsWrong(t *testing.T) {
	for _, token := range []string{"", "1", "@0", "-1@0", "1@2", "1@x", "1@0>0", "1@0!0", "1@0>-", "1@->0", "1@-!0", "1@0>", "1@0!9", "99999999999999999999@0"} {
		if s, err := parseShard(token, []Member{"a", "b"}); err == nil {
			t.Errorf("%q is read as %+v", token, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example().Bytes())
	f.Add(New("id", "uid", 2, 0).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(m.Bytes())
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v, %v, want %+v", again, err, m)
		}
	})
}

func FuzzParseShard(f *testing.F) {
	for _, token := range []string{"1@0", "1@0>1", "1@0!1", "1@0!-", "1@-"} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		s, err := parseShard(token, []Member{"a", "b"})
		if err == nil && (s.Epoch < 0 || s.Phase == Free && s.Owner != "" || s.Phase != Free && s.Owner == "") {
			t.Errorf("%q is read as %+v", token, s)
		}
	})
}

func TestFollows(t *testing.T) {
	m := example()
	for name, change := range map[string]func(n *Map){
		"lower epoch":                   func(n *Map) { n.Shards[1].Epoch-- },
		"another owner, the same epoch": func(n *Map) { n.Shards[1].Owner = "c" },
		"an earlier change":             func(n *Map) { n.Seq-- },
		"fewer shards":                  func(n *Map) { n.Shards = n.Shards[1:] },
		"another key":                   func(n *Map) { n.Key = "uid" },
	} {
		n := m.Clone()
		if change(n); n.Follows(m) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	n := m.Clone()
	n.Shards[1] = Shard{Epoch: n.Shards[1].Epoch}
	n.Shards[3] = Shard{Epoch: n.Shards[3].Epoch + 1, Phase: Owned, Owner: "c"}
	if err := n.Follows(m); err != nil {
		t.Error(err)
	}
}
