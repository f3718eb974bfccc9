#include "textflag.h"
#include "go_asm.h"

// The fields of the window at SI.
#define OFFSET window_offset(SI)
#define SHIFT window_shift(SI)
#define MASK window_mask(SI)
#define BIAS window_bias(SI)
#define LOW window_low(SI)
#define HIGH window_high(SI)
#define WINDOW $window__size

// func cpuid(leaf uint32) (eax, ebx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-16
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	RET

// func packWindows(s *[stateSize]uint8, w *window, counts *int64, n int, words *uint64) (over uint64)
TEXT ·packWindows(SB), NOSPLIT, $0-48
	MOVQ s+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ counts+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ words+32(FP), R10
	MOVQ $0x7f7f7f7f7f7f7f7f, R11
	XORQ R12, R12 // over
packWord:
	MOVQ (R8), CX
	XORQ AX, AX // the word
packWindow:
	MOVQ OFFSET, DX
	MOVQ (DI)(DX*1), DX
	MOVQ SHIFT, R13
	PEXTQ MASK, DX, BX
	SHLXQ R13, BX, BX
	ORQ  BX, AX
	MOVQ DX, BX
	ANDQ R11, BX
	ADDQ BIAS, BX // the sums, without a carry from byte to byte
	MOVQ BX, R13
	ORQ  DX, BX
	ANDQ LOW, BX
	ORQ  BX, R12
	ANDQ DX, R13
	ANDQ HIGH, R13
	ORQ  R13, R12
	ADDQ WINDOW, SI
	DECQ CX
	JNZ  packWindow
	MOVQ AX, (R10)
	ADDQ $8, R8
	ADDQ $8, R10
	DECQ R9
	JNZ  packWord
	MOVQ R12, over+40(FP)
	RET

// func unpackWindows(s *[stateSize]uint8, w *window, counts *int64, n int, words *uint64)
TEXT ·unpackWindows(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ counts+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ words+32(FP), R10
unpackWord:
	MOVQ (R8), CX
	MOVQ (R10), AX
unpackWindow:
	MOVQ OFFSET, DX
	MOVQ SHIFT, R13
	SHRXQ R13, AX, BX
	PDEPQ MASK, BX, BX
	ORQ  BX, (DI)(DX*1)
	ADDQ WINDOW, SI
	DECQ CX
	JNZ  unpackWindow
	ADDQ $8, R8
	ADDQ $8, R10
	DECQ R9
	JNZ  unpackWord
	RET
