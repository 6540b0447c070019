/* Why stress2 of threadtest3 can say "database is locked": with a shared cache, the last connection that
** closes leaves the list of caches before it gives its lock back. One that opens meanwhile has a cache and a
** lock of its own, and for the lock that PRAGMA journal_mode = delete takes SQLite asks no busy handler.
**
** Here the closing one is held up where it asks whether its file was moved, on any layer. */
#include <stdio.h>
#include <pthread.h>
#include "sqlite3.h"

static const sqlite3_io_methods *inside;
static sqlite3_io_methods outside;
static int (*original_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static int handler_calls;
static int is_closing;

static int handler(void *unused, int count) {
    (void)unused, (void)count;
    return ++handler_calls < 1000;
}

static sqlite3 *open_one(void) {
    sqlite3 *db = 0;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_SHAREDCACHE;
    if (sqlite3_open_v2("race.db", &db, flags, 0) != SQLITE_OK) printf("open: %s\n", sqlite3_errmsg(db));
    sqlite3_busy_handler(db, handler, 0);
    return db;
}

static void *change_mode(void *unused) {
    sqlite3 *db = open_one();
    int code = sqlite3_exec(db, "PRAGMA journal_mode = delete", 0, 0, 0);
    printf("while the last one closes: %d, %d calls of the busy handler\n", code, handler_calls);
    sqlite3_close(db);
    return unused;
}

static int control(sqlite3_file *file, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_HAS_MOVED && is_closing) {
        pthread_t thread;
        is_closing = 0;
        pthread_create(&thread, 0, change_mode, 0);
        pthread_join(thread, 0);
    }
    return inside->xFileControl(file, operation, argument);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    int code = original_open(vfs, name, file, flags, out);
    if (code != SQLITE_OK || !file->pMethods || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
    inside = file->pMethods;
    outside = *inside;
    outside.xFileControl = control;
    file->pMethods = &outside;
    return code;
}

int main(void) {
    sqlite3 *db;
    sqlite3_vfs *vfs;
    sqlite3_initialize();
    vfs = sqlite3_vfs_find(0);
    original_open = vfs->xOpen;
    vfs->xOpen = open_file;
    db = open_one();
    sqlite3_exec(db, "PRAGMA journal_mode = wal; CREATE TABLE t (a)", 0, 0, 0);
    is_closing = 1;
    sqlite3_close(db);
    return 0;
}
