/* Puts a volume under a test program: relative names begin at the working folder, and with
** SQLITE_TEST the errors and counters that the tests expect of a file layer are added, as
** SQLite's own layer for Unix has them. */
#define SUITE_FILES_INSIDE
#include "suite_files.h"
#include "sqlite3.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int suite_start(const char *unused);
int suite_is_on(void);
long long suite_size(const char *name);
long long suite_read(const char *name, void *buffer, long long count, long long offset);
long long suite_write(const char *name, const void *buffer, long long count, long long offset);
long long suite_truncate(const char *name, long long size);
long long suite_remove(const char *name);

/* ---- names ---- */

static int (*original_path)(sqlite3_vfs *, const char *, int, char *);

static int layer_path(sqlite3_vfs *vfs, const char *name, int count, char *out) {
    char buffer[8192], folder[4096];
    if (name[0] == '/' || !getcwd(folder, sizeof folder)) return original_path(vfs, name, count, out);
    snprintf(buffer, sizeof buffer, "%s/%s", folder, name);
    return original_path(vfs, buffer, count, out);
}

/* ---- simulated errors, counters ---- */

#ifdef SQLITE_TEST
extern int sqlite3_io_error_hit, sqlite3_io_error_hardhit, sqlite3_io_error_pending;
extern int sqlite3_io_error_persist, sqlite3_io_error_benign;
extern int sqlite3_diskfull_pending, sqlite3_diskfull, sqlite3_open_file_count;
extern int sqlite3_sync_count, sqlite3_fullsync_count;

static int fails(void) {
    int hit = sqlite3_io_error_persist && sqlite3_io_error_hit;
    if (!hit && sqlite3_io_error_pending-- != 1) return 0;
    sqlite3_io_error_hit++;
    if (!sqlite3_io_error_benign) sqlite3_io_error_hardhit++;
    return 1;
}

static int is_full(void) {
    if (sqlite3_diskfull_pending == 0) return 0;
    if (sqlite3_diskfull_pending != 1) {
        sqlite3_diskfull_pending--;
        return 0;
    }
    sqlite3_io_error_hit++;
    if (!sqlite3_io_error_benign) sqlite3_io_error_hardhit++;
    sqlite3_diskfull = 1;
    sqlite3_io_error_hit = 1;
    return 1;
}

static const sqlite3_io_methods *inside;
static sqlite3_io_methods outside;
static sqlite3_vfs original;

static int layer_close(sqlite3_file *file) {
    sqlite3_open_file_count--;
    return inside->xClose(file);
}
static int layer_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (fails()) return SQLITE_IOERR_READ;
    if (fails()) return SQLITE_IOERR_READ;  /* there a read is a seek and a read, also in count */
    return inside->xRead(file, bytes, count, offset);
}
static int layer_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    if (fails()) return SQLITE_IOERR_WRITE;
    if (fails()) return SQLITE_IOERR_WRITE;
    if (is_full()) return SQLITE_FULL;
    return inside->xWrite(file, bytes, count, offset);
}
static int layer_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (fails()) return SQLITE_IOERR_TRUNCATE;
    return inside->xTruncate(file, size);
}
static int layer_sync(sqlite3_file *file, int flags) {
    if (is_full()) return SQLITE_FULL;
    if ((flags & 0x0F) == SQLITE_SYNC_FULL) sqlite3_fullsync_count++;
    sqlite3_sync_count++;
    if (fails()) return SQLITE_IOERR_FSYNC;
    return inside->xSync(file, flags);
}
static int layer_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (fails()) return SQLITE_IOERR_FSTAT;
    return inside->xFileSize(file, size);
}
static int layer_check(sqlite3_file *file, int *answer) {
    if (fails()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    return inside->xCheckReservedLock(file, answer);
}
static int layer_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    int code = original.xOpen(vfs, name, file, flags, out);
    if (code != SQLITE_OK && getenv("SUITE_TRACE")) {
        char text[512] = "";
        original.xGetLastError(vfs, sizeof text, text);
        fprintf(stderr, "suite: open %s, flags %x: %d, %s\n", name ? name : "", flags, code, text);
    }
    if (code != SQLITE_OK || !file->pMethods) return code;
    if (!inside) {
        inside = file->pMethods;
        outside = *inside;
        outside.xClose = layer_close;
        outside.xRead = layer_read;
        outside.xWrite = layer_write;
        outside.xTruncate = layer_truncate;
        outside.xSync = layer_sync;
        outside.xFileSize = layer_size;
        outside.xCheckReservedLock = layer_check;
    }
    file->pMethods = &outside;
    sqlite3_open_file_count++;
    return code;
}
static int layer_delete(sqlite3_vfs *vfs, const char *name, int durably) {
    if (fails()) return SQLITE_IOERR_DELETE;
    return original.xDelete(vfs, name, durably);
}
static int layer_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    if (fails()) return SQLITE_IOERR_ACCESS;
    return original.xAccess(vfs, name, flags, answer);
}
#endif

/* SQLITE_EXTRA_INIT: the volume becomes SQLite's default layer. */
int suite_layer_start(const char *unused) {
    sqlite3_vfs *vfs;
    if (!suite_is_on()) return SQLITE_OK;
    if (suite_start(unused) != SQLITE_OK) return SQLITE_ERROR;
    vfs = sqlite3_vfs_find(0);
    if (vfs->xFullPathname == layer_path) return SQLITE_OK;
    original_path = vfs->xFullPathname;
    vfs->xFullPathname = layer_path;
#ifdef SQLITE_TEST
    original = *vfs;
    vfs->xOpen = layer_open;
    vfs->xDelete = layer_delete;
    vfs->xAccess = layer_access;
#endif
    return SQLITE_OK;
}

/* ---- the C library's calls ---- */

struct cookie {
    long long place;
    char name[1];
};

static ssize_t cookie_read(void *data, char *bytes, size_t count) {
    struct cookie *cookie = data;
    long long done = suite_read(cookie->name, bytes, count, cookie->place);
    if (done > 0) cookie->place += done;
    return done;
}
static ssize_t cookie_write(void *data, const char *bytes, size_t count) {
    struct cookie *cookie = data;
    long long done = suite_write(cookie->name, bytes, count, cookie->place);
    if (done > 0) cookie->place += done;
    return done < 0 ? 0 : done;
}
static int cookie_seek(void *data, off64_t *offset, int from) {
    struct cookie *cookie = data;
    if (from == SEEK_CUR) *offset += cookie->place;
    if (from == SEEK_END) *offset += suite_size(cookie->name);
    cookie->place = *offset;
    return 0;
}
static int cookie_close(void *data) {
    free(data);
    return 0;
}

FILE *suite_fopen(const char *name, const char *mode) {
    cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek, cookie_close};
    struct cookie *cookie;
    if (!suite_is_on() || suite_size(name) < 0) return fopen(name, mode);
    if (mode[0] == 'w') suite_truncate(name, 0);
    cookie = malloc(sizeof *cookie + strlen(name));
    cookie->place = mode[0] == 'a' ? suite_size(name) : 0;
    strcpy(cookie->name, name);
    return fopencookie(cookie, mode, functions);
}
int suite_stat(const char *name, struct stat *status) {
    long long size = suite_is_on() ? suite_size(name) : -1;
    if (size < 0) return stat(name, status);
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFREG | 0600;
    status->st_size = size;
    return 0;
}
int suite_unlink(const char *name) {
    if (suite_is_on() && suite_size(name) >= 0) return suite_remove(name) == 0 ? 0 : -1;
    return unlink(name);
}
int suite_access(const char *name, int mode) {
    if (suite_is_on() && suite_size(name) >= 0) return 0;
    return access(name, mode);
}
