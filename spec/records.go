package spec

import "embed"

// The whole folder is embedded, because a pattern of *.expected would not build
// before the first of them is written.
//
//go:embed library
var libraryFiles embed.FS

// RecordsFile is where the recorded verdicts of a scenario of the library stand
// in the repository.
func RecordsFile(name string) string { return "spec/library/" + name + ".expected" }

// Records is the content of the file of recorded verdicts of a scenario of the
// library; empty when it has none.
func Records(name string) []byte {
	data, err := libraryFiles.ReadFile("library/" + name + ".expected")
	if err != nil {
		return nil
	}
	return data
}
