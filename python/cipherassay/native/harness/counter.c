/* Linux on x86-64: the processor's own cycle counter, read without a system call where the kernel allows it. */
#define _GNU_SOURCE
#include "timer.h"

uint32_t assay_cycle_counter;

#if defined(__linux__) && defined(__x86_64__)

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Use the cycle counter for this thread from now on; returns 1 if there is one that can be read directly, else 0 (the
 * time-stamp counter stays). The counter must not be multiplexed: its index is read once. */
int assay_cycles_open(void)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.pinned = 1;
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
    if (file < 0)
        return 0;
    struct perf_event_mmap_page *page = mmap(0, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, (int)file, 0);
    if (page == MAP_FAILED || !page->cap_user_rdpmc || page->index == 0) {
        close((int)file);
        return 0;
    }
    assay_cycle_counter = page->index; /* the file and the page stay open: they keep the counter running */
    return 1;
}

#else

int assay_cycles_open(void)
{
    return 0;
}

#endif
