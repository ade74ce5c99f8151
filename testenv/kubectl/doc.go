// Package kubectl holds a test that drives two servers with kubectl, the real API server and apitest, by the same scripts.
//
// Each file in testdata is a script: what is typed, and what kubectl must then say. A script runs in a namespace of its own,
// named as the file, beside the others; those in testdata/alone see the server as it is when it is new. Besides the commands of testscript (cmp, cp, stdout, stderr, exec, ...) there are
//
//   - kubectl ARGS: what it prints becomes stdout and stderr, with what differs from run to run (UIDs, ages, versions) put
//     into a fixed form. The file "raw" has it as it was.
//   - eventually ARGS: the same, again and again until it succeeds. The real server does some things a moment later.
//   - watch NAME ARGS: kubectl in the background.
//   - opened NAME: waits until the server has answered its watch, so that nothing is missed from then on.
//   - seen NAME REGEXP: waits until it has printed that.
//   - stopwatch NAME: interrupts it. What it has printed becomes stdout.
//
// What both servers made kubectl print is then compared word for word, also where a script expects nothing in particular.
//
//	go test ./kubectl                           # all
//	go test ./kubectl -run 'Scripts/.*/.*/apply' # one
//	go test ./kubectl -update                   # what the real server says becomes what is expected
package kubectl
