package corrupt

import (
	"bytes"
	"encoding/json"
)

func jsonFrame(frame []byte) []byte {
	var event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if json.Unmarshal(frame, &event) != nil {
		return frame
	}
	var ok bool
	if event.Object, ok = jsonObject(event.Object, always); !ok {
		return frame
	}
	corrupted, err := json.Marshal(event)
	if err != nil {
		return frame
	}
	return append(corrupted, '\n')
}

func jsonBody(body []byte, want Want) ([]byte, bool) {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(body, &list) != nil {
		return body, false
	}
	if list.Items == nil {
		return jsonObject(body, want)
	}
	corrupted := false
	for i, item := range list.Items {
		var ok bool
		list.Items[i], ok = jsonObject(item, want)
		corrupted = corrupted || ok
	}
	if !corrupted {
		return body, false
	}
	items, err := json.Marshal(list.Items)
	if err != nil {
		return body, false
	}
	return replace(body, "items", items)
}

// jsonObject corrupts one object.
func jsonObject(object []byte, want Want) ([]byte, bool) {
	var content struct {
		Kind     string                     `json:"kind"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(object, &content) != nil || content.Metadata == nil || content.Kind == "Status" {
		return object, false
	}
	if !want(text(content.Metadata["namespace"]), text(content.Metadata["name"])) {
		return object, false
	}
	content.Metadata["deletionGracePeriodSeconds"] = json.RawMessage("1e999")
	metadata, err := json.Marshal(content.Metadata)
	if err != nil {
		return object, false
	}
	return replace(object, "metadata", metadata)
}

func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // other types are treated as empty
	return s
}

// replace replaces the value of a top-level key, and leaves the rest unchanged.
func replace(object []byte, key string, value []byte) ([]byte, bool) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return object, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return object, false
		}
		var old json.RawMessage
		if decoder.Decode(&old) != nil {
			return object, false
		}
		if name == key {
			end := int(decoder.InputOffset())
			return bytes.Join([][]byte{object[:end-len(old)], value, object[end:]}, nil), true
		}
	}
	return object, false
}
