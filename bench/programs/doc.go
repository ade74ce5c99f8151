// Command programs migrates real programs for client-go by 'vedette migrate' alone, and compares their tests before and after.
//
// The programs are downloaded from the module proxy at pinned versions into a temporary folder. Each is tested as it is, migrated,
// compiled, and tested again. The table that is printed says for each of them how many tests passed before and after, and what is
// left to do by hand. The exit code is 1 if a program does not compile, or if a test passes before and not after.
//
//	go run ./programs                              # all programs of the list
//	go run ./programs metrics-server               # one of them
//	go run ./programs example.com/operator@v1.2.3  # any module of the proxy
//	go run ./programs ../../operator               # the module in a folder, which is copied
//	go run ./programs metrics-server=../../clone   # one of the list, as it is in a folder
//
// The output of each step is kept in -out.
package main
