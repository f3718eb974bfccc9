package cil

import "cilcheck/statespace"

// The tags of cil.md that steps pass, in the order of that page.
const (
	TagC1 statespace.Tag = iota
	TagC2
	TagC4a
	TagC4b
	TagC4d
	TagC4e
	TagC4f
	TagC5
	TagC6
	TagC7
	TagC8
	TagB1
	TagB2
	TagB3
	TagB4
	TagB5
	TagB6
	TagB7
	TagN0
	TagN1
	TagN2
	TagN3
	TagN4
	TagN5
	TagA1
	TagA2
	TagA3
	TagF0
	TagF1
	TagF2
	TagF2a
	TagF2b
	TagF2c
	TagF2d
	TagF3
	TagF4
	TagW1
	TagW2
	TagW3
	TagW4
	TagW5
	TagW6
	TagW7
	TagW8
	TagW9
	TagW10
	TagW11
	TagW12
	TagW13
	TagW14
	TagW15
	TagW16
	TagSKIP
	TagABORT
	TagAB1
	TagAB2
	TagAB3
	TagO1
	TagO1a
	TagO1b
	TagO1c
	TagO1d
	TagO2
	TagX2
	TagX3
	TagX4
	TagX5
	TagSF1
	TagSF2
	TagS1
	TagS2
	TagS3
	TagPC1
	TagK1
	TagK2
	TagK3a
	TagK3b
	TagK3c
	TagK5
	TagK6
	TagG1
	TagG2
	TagG3a
	TagG3b
	TagG3c
	TagG4
	TagG5
	TagFS1
	TagFS2
	TagFS3
	TagFL1
	TagFL2
	TagFL3
	TagFL4
	TagFL5
	TagFL6
	TagFI1
	TagFI2
	TagFI3
	TagWI1
	TagWI2
	TagFY1
	TagFY2
	TagFY3
	TagFY4
	TagIC1
	TagIC2
	TagIC3
	TagIC4
	TagIC5
	TagIC6
	TagIC7
	TagGI1
	TagGI2
	TagGI3
	TagGI4
	TagGI5
	TagGI6
	TagRI1
	TagRI2
	TagRI3
	TagRI4
	TagRI5
	TagRI6
	TagIE1
	TagIE2
	TagIE3
	TagIE4
	TagDC1
	TagDC1a
	TagDC1b
	TagDC1c
	TagDC1d
	TagDC2
	TagDC3
	TagD1
	TagD2
	TagD3
	TagD4
	TagD5
	TagD6
	TagD7
	TagD8
	TagSC1
	TagSC2
	TagSC3
	TagXW1
	TagXW2
	TagXW3
	TagK3d
	TagUM1
	TagUM2
	TagUM3
	TagUM4
	TagUM5
	TagUM6
	TagUM7
	// NumTags counts the tags.
	NumTags
)

// tagNames are the labels of cil.md, in the order of the constants.
var tagNames = [NumTags]string{
	"C1", "C2", "C4a", "C4b", "C4d", "C4e", "C4f", "C5", "C6", "C7", "C8",
	"B1", "B2", "B3", "B4", "B5", "B6", "B7",
	"N0", "N1", "N2", "N3", "N4", "N5",
	"A1", "A2", "A3",
	"F0", "F1", "F2", "F2a", "F2b", "F2c", "F2d", "F3", "F4",
	"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W12",
	"W13", "W14", "W15", "W16", "SKIP", "ABORT", "AB1", "AB2", "AB3",
	"O1", "O1a", "O1b", "O1c", "O1d", "O2",
	"X2", "X3", "X4", "X5", "SF1", "SF2", "S1", "S2", "S3",
	"PC1", "K1", "K2", "K3a", "K3b", "K3c", "K5", "K6",
	"G1", "G2", "G3a", "G3b", "G3c", "G4", "G5",
	"FS1", "FS2", "FS3", "FL1", "FL2", "FL3", "FL4", "FL5", "FL6",
	"FI1", "FI2", "FI3", "WI1", "WI2", "FY1", "FY2", "FY3", "FY4",
	"IC1", "IC2", "IC3", "IC4", "IC5", "IC6", "IC7",
	"GI1", "GI2", "GI3", "GI4", "GI5", "GI6",
	"RI1", "RI2", "RI3", "RI4", "RI5", "RI6",
	"IE1", "IE2", "IE3", "IE4",
	"DC1", "DC1a", "DC1b", "DC1c", "DC1d", "DC2", "DC3",
	"D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "SC1", "SC2", "SC3",
	"XW1", "XW2", "XW3", "K3d", "UM1", "UM2", "UM3", "UM4", "UM5", "UM6", "UM7",
}

// TagName is the label of a tag in cil.md.
func TagName(t statespace.Tag) string { return tagNames[t] }

// ParseTag is the inverse of TagName; ok is false for an unknown label.
func ParseTag(name string) (t statespace.Tag, ok bool) {
	for i, n := range tagNames {
		if n == name {
			return statespace.Tag(i), true
		}
	}
	return 0, false
}
