# chi.three: 3 -> 3 bits, 6 gates. x86 instructions.
# Written by `assay circuit emit`.
#
# table      0 3 6 1 5 4 2 7
# metrics    gates=6 depth=2
# origin     own search
# written as 8 operations and 2 moves in 5 registers
        .intel_syntax noprefix
        .text

# inputs     r0 r1 r2
# outputs    r3 r0 r4
        .macro  chi_three_gates r0, r1, r2, r3, r4
        mov     \r3, \r0
        not     \r3
        mov     \r4, \r1
        and     \r4, \r3
        xor     \r4, \r2
        not     \r2
        and     \r0, \r2
        xor     \r0, \r1
        or      \r2, \r1
        xor     \r3, \r2
        .endm

# void chi_three(const uint64_t x[3], uint64_t y[3]): 64 boxes, one to a bit
        .globl  chi_three
        .type   chi_three, @function
chi_three:
        mov     rax, [rdi+0]
        mov     rcx, [rdi+8]
        mov     rdx, [rdi+16]
        chi_three_gates rax, rcx, rdx, r8, r9
        mov     [rsi+0], r8
        mov     [rsi+8], rax
        mov     [rsi+16], r9
        ret
        .size   chi_three, .-chi_three
        .section .note.GNU-stack,"",@progbits
