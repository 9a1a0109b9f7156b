/* A monotonic clock that goes slower from the first time that it is looked at. For a process under valgrind,
   which is slower itself by as much. Deadlines that are given to the system are too early by what has passed,
   so that nothing waits for longer than without this. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t began;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (failed || clock != CLOCK_MONOTONIC)
        return failed;
    int64_t now = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec, first = 0;
    /* Threads that come together agree on the first one's time. */
    if (!__atomic_compare_exchange_n(&began, &first, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        now = first + (now > first ? (now - first) / SLOWDOWN : 0);
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}
