package jsoncheck

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func oddPlan(t testing.TB) *Plan {
	t.Helper()
	plan, err := Compile(&odd{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// decodes reports whether a text can be decoded into another such as example, in the way in which it is decoded later.
func decodes(example any, data []byte) error {
	return utiljson.Unmarshal(data, reflect.New(reflect.TypeOf(example).Elem()).Interface())
}

// What is asked in the tables: can be decoded and is known to, can be decoded but is not known to, cannot be decoded.
type answer int

const (
	yes answer = iota
	unsure
	no
)

// verify asks for one text.
func verify(t *testing.T, plan *Plan, example any, data string, want answer) {
	t.Helper()
	got := plan.Check([]byte(data))
	err := decodes(example, []byte(data))
	switch {
	case got && err != nil:
		t.Errorf("%.200s: said yes, but %v", data, err)
	case got != (want == yes):
		t.Errorf("%.200s: said %v", data, got)
	case (err != nil) != (want == no):
		t.Errorf("%.200s: the table is wrong: %v", data, err)
	}
}

// cases are values of a field, by what is said to them.
type cases struct {
	field           string
	yes, unsure, no []string
}

func s(values ...string) []string { return values }

var (
	someJSON = s(`null`, `true`, `1`, `"x"`, `{}`, `[]`, `{"a":[1,{"b":null}]}`, `[ 1 , 2 ]`)
	noJSON   = s(``, `x`, `nul`, `truE`, `"`, `"\x"`, "\"\n\"", `{`, `[`, `{]`, `[}`, `[1,]`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `[1 2]`,
		`01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `--1`, `0x1`, `NaN`, `"\u12g4"`, `"\u123"`, `"\`, "\"\x00\"", `'a'`, `1//`, "\x00", `tru`, "\v1")
)

var fieldCases = []cases{
	{field: "unknown", yes: someJSON, unsure: s(`1e400`, strings.Repeat("[", 501)+strings.Repeat("]", 501)), no: noJSON},
	{field: "text", yes: s(`""`, `"a"`, `"\"\\\/\b\f\n\r\t\u00e9\uD83D"`, "\"\xff\xed\xa0\x80\"", `"longer than eight bytes\n, and then longer"`, `null`),
		no: s(`1`, `true`, `{}`, `[]`, `"a`, "\"a\tb\"", `"\a"`, `"\u00"`, "\"longer than eight\x1f\"")},
	{field: "uid", yes: s(`"a"`, `null`), no: s(`1`)},
	{field: "textP", yes: s(`"a"`, `null`), no: s(`1`)},
	{field: "textPP", yes: s(`"a"`, `null`), no: s(`1`)},
	{field: "yes", yes: s(`true`, `false`, `null`), no: s(`1`, `"true"`, `True`, `{}`, `falsy`)},
	{field: "yesP", yes: s(`true`, `false`, `null`), no: s(`0`, `[]`)},
	{field: "i", yes: s(`0`, `-0`, `-9223372036854775808`, `9223372036854775807`, `null`), no: s(`9223372036854775808`, `-9223372036854775809`,
		`1.0`, `1e2`, `"1"`, `00`, `-`, `99999999999999999999`, `100000000000000000000000000000000000000001`, `true`, `01`)},
	{field: "i8", yes: s(`127`, `-128`), no: s(`128`, `-129`)},
	{field: "i16", yes: s(`32767`, `-32768`), no: s(`32768`, `-32769`)},
	{field: "i32", yes: s(`2147483647`, `-2147483648`), no: s(`2147483648`, `-2147483649`, `{}`)},
	{field: "i64", yes: s(`1`, `null`, `9223372036854775807`), no: s(`9223372036854775808`)},
	{field: "u", yes: s(`0`, `9999999999999999999`), unsure: s(`18446744073709551615`), no: s(`-1`, `-0`, `18446744073709551616`)},
	{field: "u8", yes: s(`255`), no: s(`256`, `-1`, `1.5`)},
	{field: "u16", yes: s(`65535`), no: s(`65536`)},
	{field: "u32", yes: s(`4294967295`), no: s(`4294967296`)},
	{field: "u64", yes: s(`1`, `null`), no: s(`-1`)},
	{field: "f32", yes: s(`1`, `-1.5e3`, `3.4e38`, `1e-99`, `null`), no: s(`3.5e38`, `1e400`, `"1"`, `true`, `1.`)},
	{field: "f64", yes: s(`1`, `-1.5E+3`, `1e308`, `1e-999`, strings.Repeat("9", 300), `0.1`, `null`), no: s(`1e309`, strings.Repeat("9", 310), `"1"`, `{}`, `-`)},
	{field: "wait", yes: s(`1000000000`), no: s(`"1s"`)},

	{field: "bytes", yes: s(`""`, `"AAAA"`, `"AA=="`, `"AAA="`, `"ab+/"`, `"AB=="`, `null`, `[]`, `[0,255]`), unsure: s(`"AA\nAA"`, `"\u0041AAA"`),
		no: s(`"A"`, `"AA"`, `"AAA"`, `"A==="`, `"===="`, `"=="`, `"AA=A"`, `"AA==AAAA"`, `"ab--"`, `"ab__"`, `"AAA "`, `1`, `{}`, `[256]`, `["A"]`, "\"\xc1AAA\"")},
	{field: "texts", yes: s(`[]`, `["a","b"]`, `[null]`, `[ "a" , "b" ]`, `null`), no: s(`["a",1]`, `"a"`, `{}`, `["a"`, `["a",]`, `["a" "b"]`)},
	{field: "parts", yes: s(`[{}]`, `[null,{"name":"a","count":1,"parts":[{"parts":null}]}]`), no: s(`[1]`, `[{"parts":[{"count":300}]}]`, `{}`)},
	{field: "partsP", yes: s(`[null,{}]`), no: s(`["a"]`)},
	{field: "deep", yes: s(`[[1,2],[],null]`), no: s(`[[1.5]]`, `[1]`)},
	{field: "map", yes: s(`{}`, `{"a":"b","a":"c"}`, `{"\u0061":null}`, `{ "a" : "b" }`, `null`), no: s(`{"a":1}`, `[]`, `{"a":"b",}`, `{"a" "b"}`, `{1:"a"}`, `{"\a":""}`, `{"a":"b"]`)},
	{field: "counts", yes: s(`{"a":-5}`), no: s(`{"a":500}`)},
	{field: "named", yes: s(`{"a":{"name":"b"},"c":null}`), no: s(`{"a":{"name":1}}`)},
	{field: "blobs", yes: s(`{"a":"AAAA","b":""}`), no: s(`{"a":"A"}`)},
	{field: "byInt", yes: s(`{"5":"a"}`, `{}`, `null`), no: s(`{"a":"b"}`, `{"500":"b"}`, `{"5":5}`)},
	{field: "byText", yes: s(`{"A":true}`), no: s(`{"a":true}`)},
	{field: "byBool", yes: s(`null`), no: s(`{}`, `{"true":"a"}`)},
	{field: "fixed", yes: s(`[1,2]`, `[1]`, `[1,2,"x"]`, `null`), no: s(`[300]`, `{}`, `"AA=="`)},

	{field: "any", yes: someJSON, unsure: nil, no: append(noJSON, `1e400`, `[1e999]`)},
	{field: "anys", yes: s(`[1,"a",{},null]`), no: s(`{}`, `[1e400]`)},
	{field: "tree", yes: s(`{"a":{"b":[1.5]}}`), no: s(`[]`, `{"a":1e400}`)},
	{field: "iface", yes: s(`null`), no: s(`1`, `{}`, `"a"`, `[]`, `true`)},
	{field: "chan", yes: s(`null`), no: s(`1`, `{}`)},
	{field: "raw", yes: someJSON, unsure: s(`1e400`), no: noJSON},
	{field: "rawM", yes: someJSON, no: noJSON},
	{field: "v1", yes: someJSON, no: noJSON},
	{field: "num", yes: s(`1`, `"1"`, `1e3`, `null`), no: s(`"a"`, `""`, `true`, `{}`)},

	{field: "time", yes: append(s(`"2026-01-02T03:04:05Z"`, `"0000-12-31T23:59:59Z"`, `"2024-02-29T00:00:00Z"`, `"2026-01-02T03:04:05.5Z"`,
		`"2026-01-02T03:04:05+01:00"`, `"2026-01-02T03:04:05\u005a"`, `"2026-01-02T03:04:05,123Z"`, `null`), lastDays("Z")...),
		no: append(s(`""`, `"2026-01-02"`, `"2026-00-02T03:04:05Z"`, `"2026-13-02T03:04:05Z"`, `"2026-01-00T03:04:05Z"`, `"2026-01-02T24:04:05Z"`,
			`"2026-01-02T03:60:05Z"`, `"2026-01-02T03:04:60Z"`, `"2026-01-02 03:04:05Z"`, `"2026-01-02T03:04:05z"`, `"2026/01/02T03:04:05Z"`,
			`"2026-01-02T03:04:05Zx"`, `"2026-02-29T03:04:05Z"`, `"202a-01-02T03:04:05Z"`, `1`, `{}`, `[]`, `true`), tooLate("Z")...)},
	{field: "timeP", yes: s(`"2026-01-02T03:04:05Z"`, `null`), no: s(`""`, `"x"`)},
	{field: "micro", yes: append(s(`"2026-01-02T03:04:05.000006Z"`, `"2026-01-02T03:04:05.000000+01:00"`, `null`), lastDays(".123456Z")...),
		no: append(s(`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.123Z"`, `"2026-01-02T03:04:05.12345aZ"`, `""`, `1`), tooLate(".123456Z")...)},
	{field: "stdTime", yes: s(`"2026-01-02T03:04:05.123456789Z"`, `null`), no: s(`""`, `1`)},
	{field: "duration", yes: s(`"1h2m3s"`, `"0s"`, `"99999h99999m99999s"`, `"1.5h"`, `"-3ms"`, `"0"`, `"2562047h"`, `"1s1s1s1s"`, `"100ns"`, `"\u0031s"`),
		no: s(`""`, `"1"`, `"1x"`, `"2562048h"`, `"h"`, `"1s1"`, `1`, `null`, `{}`, `"1d"`)},
	{field: "durationP", yes: s(`"1h2m3s"`), unsure: s(`null`), no: s(`"1"`)},
	{field: "quantity", yes: s(`"1"`, `"100m"`, `"1Gi"`, `"0"`, `"007k"`, `1`, `1.5`, `"1.5Gi"`, `"-1"`, `"+1"`, `" 1 "`, `"1e3"`, `"12E"`, `"999999999999999999Ei"`,
		`"999999999999999999P"`, `"999999999999999999n"`, `"1u"`, `null`, `"99999999999999999999999999"`, `".5"`, `"Gi"`),
		no: s(`"\u0031"`, `""`, `"1gi"`, `"1K"`, `"1 Gi"`, `true`, `{}`, `[]`, `"1Gib"`, `"1.2.3"`)},
	{field: "port", yes: s(`80`, `"http"`, `-0`, `2147483647`, `-2147483648`, `""`, `null`, `"\n"`, "\"\xff\""), no: s(`2147483648`, `-2147483649`, `1.5`, `1e2`, `true`, `{}`, `[]`)},
	{field: "limits", yes: s(`{"cpu":"1","memory":"1Gi"}`, `{"a":1}`), no: s(`{"cpu":"x"}`)},

	{field: "once", yes: s(`1`, `null`, `{"a":1}`), no: s(`"bad"`)},
	{field: "onceP", yes: s(`1`, `null`), no: s(`"bad"`)},
	{field: "onces", yes: s(`{"a":1,"a":2,"b":3}`), no: s(`{"a":"bad"}`)},
	{field: "oncePart", yes: s(`{"list":[1,2]}`), no: s(`{"list":[1],"list":[2]}`)},
	{field: "shout", yes: s(`"LOUD"`, `null`, `"\u0041"`), no: s(`"low"`, `1`, `{}`, `[]`, `"\u0061"`)},
	{field: "shoutP", yes: s(`"LOUD"`, `null`), no: s(`"low"`)},
	{field: "nasty", no: s(`1`, `null`, `{}`)},
	{field: "quoted", yes: s(`{"n":"1"}`, `{}`, `null`), no: s(`{"n":1}`, `{"n":"300"}`, `{"n":"x"}`)},
	{field: "noName", yes: s(`null`), unsure: s(`{}`), no: s(`1`)},
	{field: "noNameP", yes: s(`null`), unsure: s(`2`), no: s(`1`, `{}`)},
	{field: "loop", yes: s(`null`)},

	{field: "metadata", yes: s(`null`, `{"name":"a","labels":{"a":"b"},"creationTimestamp":null,"generation":1}`), no: s(`{"name":1}`, `{"generation":"1"}`, `[]`)},
	{field: "kind", yes: s(`"a"`), no: s(`1`)},
	{field: "here", yes: s(`1`), no: s(`"a"`, `300`)},
	{field: "there", yes: s(`1`), no: s(`"a"`)},
	{field: "Untagged", yes: s(`1`), no: s(`"a"`)},
	{field: "untagged", yes: s(`1`, `"a"`)}, // which is another name
	{field: "TEXT", yes: s(`1`, `"a"`)},
	{field: "-", yes: s(`1`), no: s(`"a"`)},
	{field: "Left", yes: s(`1`, `"a"`)},
	{field: "private", yes: s(`1`, `"a"`)},
	{field: "inner", yes: s(`1`, `{"name":1}`)},
	{field: "Same", yes: s(`1`), no: s(`"a"`)}, // the one with a tag
	{field: "hidden", yes: s(`1`, `"a"`)},
	{field: "Pointed", yes: s(`1`, `"a"`)},
	{field: "quantit", yes: s(`"x"`)},
	{field: "quantityy", yes: s(`"x"`)},
	{field: `te\u0078t`, unsure: s(`"x"`), no: s(`1`)},
	{field: "te\xffxt", yes: s(`1`)},
	{field: "", yes: s(`1`)},
}

// lastDays are the last days of all months of a year, and tooLate those behind.
func lastDays(end string) []string { return monthEnds(0, end) }
func tooLate(end string) []string {
	return append(monthEnds(1, end), `"2026-01-45T00:00:00`+end+`"`, `"2026-04-99T00:00:00`+end+`"`)
}

func monthEnds(more int, end string) (out []string) {
	for i, days := range []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} {
		out = append(out, fmt.Sprintf(`"2026-%02d-%02dT00:00:00%s"`, i+1, days+more, end))
	}
	return out
}

func TestFields(t *testing.T) {
	plan := oddPlan(t)
	for _, c := range fieldCases {
		for want, values := range [][]string{yes: c.yes, unsure: c.unsure, no: c.no} {
			for _, v := range values {
				verify(t, plan, &odd{}, `{"`+c.field+`":`+v+`}`, answer(want))
				verify(t, plan, &odd{}, ` { "`+c.field+"\" :\t"+v+"\r\n, \"here\" : 1 } ", answer(want))
				verify(t, plan, &odd{}, `{"there":1,"Untagged":2,"zzz":[],"`+c.field+`":`+v+`}`, answer(want))
			}
		}
	}
}

func TestObjects(t *testing.T) {
	plan := oddPlan(t)
	for data, want := range map[string]answer{
		`{}`: yes, " \n\t\r{ } ": yes, `{"i":1,"i":2}`: yes, `{"parts":[{"name":"a"}],"parts":[{"count":1}]}`: yes, `{"u":1,"i":1,"u8":2}`: yes,
		`null`: unsure, `{"shout":"A","shout":"B"}`: unsure, `{"once":1,"onceP":1,"oncePart":{}}`: yes, `{"time":null,"time":null}`: yes,
		`{"once":1,"once":1}`: no, `{"oncePart":{"list":[1]},"oncePart":{"list":[1]}}`: no, `{"onceP":1,"i":1,"onceP":2}`: no,
		``: no, ` `: no, `[]`: no, `1`: no, `"a"`: no, `{`: no, `}`: no, `{}}`: no, `{}x`: no, `{},`: no, "{}\x00": no, "\ufeff{}": no, `{"i":1]`: no,
		`["i":1}`: no, `x"i":1}`: no, `{"i":1 "u":2}`: no, `{"i":1,,"u":2}`: no, `{"i"1}`: no, `{"i`: no, `{"`: no, `{"i"`: no, `{"i":`: no, `{"i":1`: no, `{"i":1,`: no, `{i:1}`: no,
		`{"i":1,"u":2`: no, `{"zz`: no, `{"te`: no, "{\"\x01\":1}": no, `{"\x":1}`: no,
	} {
		verify(t, plan, &odd{}, data, want)
	}
}

func TestDepth(t *testing.T) {
	plan := oddPlan(t)
	nest := func(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	// Each has a level for the object, and each part has two.
	for n, want := range map[int]answer{1: yes, 400: yes, 499: yes, 500: unsure, 600: unsure, 20000: no} {
		verify(t, plan, &odd{}, `{"any":`+nest("[", "]", n)+`}`, want)
		verify(t, plan, &odd{}, `{"unknown":`+nest(`{"a":`, "}", n-1)[:5*(n-1)]+`{}`+strings.Repeat("}", n-1)+`}`, want)
		if got := Valid([]byte(`{"a":` + nest("[", "]", n) + `}`)); got != (want == yes) {
			t.Errorf("%d levels: %v", n, got)
		}
	}
	for n, want := range map[int]answer{1: yes, 250: yes, 251: unsure, 6000: no} {
		verify(t, plan, &odd{}, `{"parts":[`+strings.Repeat(`{"parts":[`, n-1)+strings.Repeat(`]}`, n-1)+`]}`, want)
	}
}

func TestNoPlan(t *testing.T) {
	type left struct{ A int }
	type right struct{ A int }
	type twice struct {
		left
		right
	}
	for _, example := range []any{
		nil, 1, "a", odd{}, new(int), &map[string]any{}, &unstructured.Unstructured{}, &metav1.Time{}, &quoted{}, &twice{}, &once{},
		&struct {
			*pointed
		}{},
		&struct {
			hidden `json:"name"`
		}{},
		&struct {
			A int `json:"é"`
		}{},
	} {
		if _, err := Compile(example); err == nil || !strings.HasPrefix(err.Error(), "jsoncheck: ") {
			t.Errorf("%T: %v", example, err)
		}
	}
	if _, err := Compile((*corev1.Pod)(nil)); err != nil {
		t.Error(err)
	}
}

// More fields than there are bits.
func TestManyFieldsThatComeOnce(t *testing.T) {
	var fields []reflect.StructField
	for i := range 70 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[once]()})
	}
	example := reflect.New(reflect.StructOf(fields)).Interface()
	plan, err := Compile(example)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		verify(t, plan, example, fmt.Sprintf(`{"F%d":1}`, i), yes)
		verify(t, plan, example, fmt.Sprintf(`{"F%d":1,"F%d":1}`, i, i), no)
	}
	verify(t, plan, example, `{"F1":1,"F62":1,"F63":1}`, yes)
	verify(t, plan, example, `{"F68":1,"F69":1}`, unsure)
}
