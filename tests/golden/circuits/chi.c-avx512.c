/* chi.three: 3 -> 3 bits, 6 gates. C for AVX-512.
 * Written by `assay circuit emit`.
 *
 * table      0 3 6 1 5 4 2 7
 * metrics    gates=6 depth=2
 * origin     own search
 * written as 3 operations, of them 3 of three operands
 *
 * One call computes 512 boxes: bit k of x[i] is input bit i of box k, bit k of y[j] its output bit j
 * (bit 0 is the least significant one of the box). x and y, arrays of __m512i, may be the same.
 */
#include <immintrin.h>

void chi_three_avx512(const __m512i x[3], __m512i y[3])
{
    const __m512i x0 = x[0], x1 = x[1], x2 = x[2];

    const __m512i y0 = _mm512_ternarylogic_epi64(x0, x1, x2, 0xd2);
    const __m512i y1 = _mm512_ternarylogic_epi64(x0, x1, x2, 0x9c);
    const __m512i y2 = _mm512_ternarylogic_epi64(x0, x1, x2, 0xa6);

    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}
