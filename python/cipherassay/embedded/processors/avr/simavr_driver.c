/* Runs functions of an AVR program in simavr, one instruction at a time, and tells their cycles.
 *
 * Arguments: the processor's name, the ELF file. Commands on standard input, one per line:
 *   write ADDRESS HEX          bytes into RAM
 *   read ADDRESS COUNT         bytes of RAM
 *   paint BYTE                 every byte of RAM
 *   touched BYTE               how many bytes of RAM no longer hold it
 *   call PC BEGIN END          a call: cycles to the return, and between two addresses (bytes of flash)
 * Answers begin with "= "; what else stands there is simavr's own.
 */
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    static char line[1 << 16], word[1 << 15];
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (argc != 3 || elf_read_firmware(argv[2], &firmware)) return 2;
    avr_t *avr = avr_make_mcu_by_name(argv[1]);
    if (!avr) return 3;
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    unsigned first = avr->ioend + 1, last = avr->ramend;
    while (fgets(line, sizeof line, stdin)) {
        unsigned a, b, c;
        if (sscanf(line, "write %u %32767s", &a, word) == 2) {
            for (unsigned n = 0; word[2 * n] && word[2 * n + 1]; n++) {
                sscanf(word + 2 * n, "%2x", &b);
                avr->data[a + n] = b;
            }
        } else if (sscanf(line, "read %u %u", &a, &b) == 2) {
            printf("= ");
            for (unsigned n = 0; n < b; n++) printf("%02x", avr->data[a + n]);
            printf("\n");
        } else if (sscanf(line, "paint %u", &a) == 1) {
            memset(avr->data + first, a, last + 1 - first);
        } else if (sscanf(line, "touched %u", &a) == 1) {
            c = 0;
            for (b = first; b <= last; b++) c += avr->data[b] != a;
            printf("= %u\n", c);
        } else if (sscanf(line, "call %u %u %u", &a, &b, &c) == 3) {
            unsigned stack = last - 2, stop = avr->flashend - 1;
            avr->data[last] = (stop >> 1) & 255;
            avr->data[last - 1] = stop >> 9;
            avr->data[R_SPL] = stack & 255;
            avr->data[R_SPH] = stack >> 8;
            avr->data[1] = 0;
            avr->pc = a;
            avr->state = cpu_Running;
            avr_cycle_count_t start = avr->cycle, began = 0, ended = 0;
            unsigned lowest = stack;
            while (avr->pc != stop && avr->cycle - start < 100000000u) {
                if (avr->pc == b) began = avr->cycle;
                if (avr->pc == c) ended = avr->cycle;
                avr->run_cycle_limit = avr->run_cycle_count = 1;
                if (avr_run(avr) == cpu_Crashed) break;
                unsigned now = avr->data[R_SPL] | avr->data[R_SPH] << 8;
                if (now < lowest) lowest = now;
            }
            if (avr->pc == b) began = avr->cycle;
            if (avr->pc == c) ended = avr->cycle;
            printf("= %lu %lu %u %s\n", (unsigned long)(avr->cycle - start), (unsigned long)(ended - began),
                   last - lowest, avr->pc == stop ? "returned" : "lost");
        }
        fflush(stdout);
    }
    return 0;
}
