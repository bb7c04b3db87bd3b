/* chi.three: 3 -> 3 bits, 6 gates. C for AVX2.
 * Written by `assay circuit emit`.
 *
 * table      0 3 6 1 5 4 2 7
 * metrics    gates=6 depth=2
 * origin     own search
 *
 * One call computes 256 boxes: bit k of x[i] is input bit i of box k, bit k of y[j] its output bit j
 * (bit 0 is the least significant one of the box). x and y, arrays of __m256i, may be the same.
 */
#include <immintrin.h>

void chi_three_avx2(const __m256i x[3], __m256i y[3])
{
    const __m256i x0 = x[0], x1 = x[1], x2 = x[2];

    const __m256i t1 = _mm256_andnot_si256(x1, x2);
    const __m256i t2 = _mm256_andnot_si256(x2, x0);
    const __m256i t3 = _mm256_andnot_si256(x0, x1);
    const __m256i y0 = _mm256_xor_si256(x0, t1);
    const __m256i y1 = _mm256_xor_si256(x1, t2);
    const __m256i y2 = _mm256_xor_si256(x2, t3);

    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}
