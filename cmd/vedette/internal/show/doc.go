// Package show formats output for a terminal or a pipe: tables, a screen that is redrawn, a progress bar, and numbers with units.
//
//   - [Table] aligns cells in columns.
//   - [Screen] shows one frame after the other in the same place of a terminal.
//   - [Bar] is a progress bar on a terminal.
//   - [Style] styles text on a terminal, and leaves it unchanged elsewhere.
//
// Nothing here starts a goroutine or reads a clock. Text from a cluster is made printable, see [Clean]: a
// label with control characters cannot affect the terminal.
package show
