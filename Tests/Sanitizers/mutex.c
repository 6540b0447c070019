/*
 * Tells ThreadSanitizer of the locks that it does not see.
 *
 * Swift's Mutex takes and gives a lock that nobody else wants in code that is compiled into ours, and so
 * is watched. Where threads meet, both happen inside libswiftSynchronization, which is not watched: what
 * the former holder did then looks as if nothing had come between. This library is loaded before that
 * one, and says it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define CONTEXT __attribute__((swift_context)) void *
#define SWIFT __attribute__((swiftcall))

/* Not there in programs that are not watched. */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void lock_function(uint32_t thread, CONTEXT handle);
typedef SWIFT void unlock_function(CONTEXT handle);

SWIFT void lock(uint32_t thread, CONTEXT handle) __asm__(LOCK);
SWIFT void unlock(CONTEXT handle) __asm__(UNLOCK);

static lock_function *original_lock;
static unlock_function *original_unlock;

__attribute__((constructor)) static void find_originals(void)
{
    original_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
    original_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, CONTEXT handle)
{
    original_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock(CONTEXT handle)
{
    if (__tsan_release) __tsan_release(handle);
    original_unlock(handle);
}
