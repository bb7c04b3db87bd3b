/* Bytes in another order, for libraries whose words are read from the other end than the description's. */
#ifndef ASSAY_ORDERS_H
#define ASSAY_ORDERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Writes each word with its bytes reversed; words have 2, 4 or a multiple of 8 bytes, and out is other memory than in. */
static inline void assay_reverse(const uint8_t *in, uint8_t *out, size_t bytes, size_t word)
{
    for (size_t i = 0; i < bytes; i += word) {
        if (word == 2) {
            uint16_t part;
            memcpy(&part, in + i, 2);
            part = __builtin_bswap16(part);
            memcpy(out + i, &part, 2);
        } else if (word == 4) {
            uint32_t part;
            memcpy(&part, in + i, 4);
            part = __builtin_bswap32(part);
            memcpy(out + i, &part, 4);
        } else {
            for (size_t j = 0; j < word; j += 8) {
                uint64_t part;
                memcpy(&part, in + i + j, 8);
                part = __builtin_bswap64(part);
                memcpy(out + i + word - 8 - j, &part, 8);
            }
        }
    }
}

#endif
