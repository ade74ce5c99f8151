// Package show puts text in front of people: tables, a screen that is drawn again, a bar of progress, and figures as people
// read them.
//
//   - [Table] aligns cells in columns.
//   - [Screen] shows one frame after the other in the same place of a terminal.
//   - [Bar] is a progress bar on a terminal.
//   - [Style] marks text on a terminal, and leaves it alone elsewhere.
//
// Nothing here starts a goroutine or reads a clock. What comes from a cluster is made printable on its way in, see [Clean]: a
// label that was made to confuse a terminal does not.
package show
