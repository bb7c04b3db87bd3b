/* Runs a bit-sliced function on every input of its box, and prints the values in one line that begins with "=". */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Lane k is a bit of the word's bytes; x and y number the lanes alike, so that the order of bytes does not count. */
#define RUN_ALL(run, function, type, inputs, outputs)                                        \
    static void run(void)                                                                    \
    {                                                                                        \
        enum { lanes = 8 * sizeof(type), size = 1 << (inputs) };                             \
        type x[inputs], y[outputs], same[(inputs) > (outputs) ? (inputs) : (outputs)];       \
        printf("=");                                                                         \
        for (int base = 0; base < size; base += lanes) {                                     \
            memset(x, 0, sizeof x);                                                          \
            for (int lane = 0; lane < lanes; lane++)                                         \
                for (int i = 0; i < (inputs); i++)                                           \
                    if ((base + lane) % size >> i & 1)                                       \
                        ((unsigned char *)&x[i])[lane / 8] |= (unsigned char)(1 << lane % 8); \
            memcpy(same, x, sizeof x);                                                       \
            function(x, y);                                                                  \
            function(same, same);                                                            \
            if (memcmp(same, y, sizeof y) != 0)                                              \
                printf(" differs-in-place");                                                 \
            for (int lane = 0; lane < lanes && base + lane < size; lane++) {                 \
                int value = 0;                                                               \
                for (int j = 0; j < (outputs); j++)                                          \
                    value |= (((unsigned char *)&y[j])[lane / 8] >> lane % 8 & 1) << j;      \
                printf(" %d", value);                                                        \
            }                                                                                \
        }                                                                                    \
        printf("\n");                                                                        \
    }
