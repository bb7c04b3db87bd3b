; chi.three: 3 -> 3 bits, 6 gates. PA-RISC instructions.
; Written by `assay circuit emit`.
;
; table      0 3 6 1 5 4 2 7
; metrics    gates=6 depth=2
; origin     own search
; written as 6 operations in 3 cycles of up to 2 operations
;
; inputs     %r26 %r25 %r24
; outputs    %r1 %r31 %r29
        .text
chi_three:
; cycle 1
        andcm   %r24,%r25,%r1       ; t1 = x2 & ~x1
        andcm   %r26,%r24,%r31      ; t2 = x0 & ~x2
; cycle 2
        andcm   %r25,%r26,%r29      ; t3 = x1 & ~x0
        xor     %r26,%r1,%r1        ; y0 = x0 ^ t1
; cycle 3
        xor     %r25,%r31,%r31      ; y1 = x1 ^ t2
        xor     %r24,%r29,%r29      ; y2 = x2 ^ t3
