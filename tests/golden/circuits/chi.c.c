/* chi.three: 3 -> 3 bits, 6 gates. Bit-sliced C.
 * Written by `assay circuit emit`.
 *
 * table      0 3 6 1 5 4 2 7
 * metrics    gates=6 depth=2
 * origin     own search
 *
 * One call computes 64 boxes: bit k of x[i] is input bit i of box k, bit k of y[j] its output bit j
 * (bit 0 is the least significant one of the box). x and y, arrays of uint64_t, may be the same.
 */
#include <stdint.h>

void chi_three(const uint64_t x[3], uint64_t y[3])
{
    const uint64_t x0 = x[0], x1 = x[1], x2 = x[2];

    const uint64_t t1 = x2 & ~x1;
    const uint64_t t2 = x0 & ~x2;
    const uint64_t t3 = x1 & ~x0;
    const uint64_t y0 = x0 ^ t1;
    const uint64_t y1 = x1 ^ t2;
    const uint64_t y2 = x2 ^ t3;

    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}
