#include <sqlite3.h>

/* What SQLite allocates for xOpen (szOsFile), with room for one object reference. */
typedef struct csqlite_file { sqlite3_file base; void *object; } csqlite_file;

/* SQLITE_TRANSIENT is a cast, sqlite3_config() and sqlite3_db_config() are variadic: Swift sees none of them. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline int csqlite_config_memory(const sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
}
static inline int csqlite_config_read_memory(sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods);
}
static inline int csqlite_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
}

/* How deep the calling thread is in calls of SQLite to a file layer; every use is in one Swift file, as each
   file that uses it has a counter of its own. */
static inline int csqlite_call_depth(int change) {
    static _Thread_local int depth;
    depth += change;
    return depth;
}
