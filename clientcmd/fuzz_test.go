package clientcmd

import (
	"reflect"
	"testing"
)

// FuzzLoad: whatever is loaded can be validated, used and written, and is the same when it is loaded again.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		sample, "", "null", "{}", "[]", "a: &a [*a]", "clusters: [null, {name: 1}]", "users: [{name: u, user: {client-key-data: '%'}}]",
		`{"kind":"Config","apiVersion":"v1","contexts":[{"name":"\ud83d\ude00","context":{"extensions":[{"name":"e","extension":{"<":1}}]}}]}`,
		"? [a]\n: b", "!!binary a: b", "<<: {current-context: x}", "\xff\xfea\x00", "preferences: {colors: yes}", "current-context: 0x10",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := Load(data)
		if (config == nil) == (err == nil) {
			t.Fatalf("config %v and error %v", config, err)
		}
		if err != nil {
			return
		}
		_ = Validate(*config)
		_ = config.String()
		// Nothing is opened: a path in the input could be a device that never answers.
		for _, ref := range GetConfigFileReferences(config) {
			*ref = ""
		}
		direct := NewDefaultClientConfig(*config, nil)
		_, _ = direct.ClientConfig()
		_, _, _ = direct.Namespace()
		text, err := Write(*config)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Load(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(config, again) {
			t.Fatalf("%+v\nis read again as\n%+v", config, again)
		}
	})
}
