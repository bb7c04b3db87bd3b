// chi.three: 3 -> 3 bits, 6 gates. IA-64 instruction groups.
// Written by `assay circuit emit`.
//
// table      0 3 6 1 5 4 2 7
// metrics    gates=6 depth=2
// origin     own search
// written as 6 operations in 2 cycles of up to 6 operations
//
// inputs     r32 r33 r34
// outputs    r14 r15 r16
        .text
chi_three:
        andcm   r14 = r34, r33      // t1 = x2 & ~x1
        andcm   r15 = r32, r34      // t2 = x0 & ~x2
        andcm   r16 = r33, r32      // t3 = x1 & ~x0
        ;;
        xor     r14 = r32, r14      // y0 = x0 ^ t1
        xor     r15 = r33, r15      // y1 = x1 ^ t2
        xor     r16 = r34, r16      // y2 = x2 ^ t3
        ;;
