/*
 * What glibc has and Swift's Glibc module leaves out. Declarations only, no logic.
 *
 * Includes nothing of glibc: a header of it named here would move its types from the module Glibc
 * into this one, for every file of the program that imports both. On 64-bit Linux `long` is ssize_t
 * and off_t. size_t is named as such: Swift has another type for `unsigned long`, and Foundation's
 * modules declare some of these functions too.
 */
#include <stddef.h>

/* sys/xattr.h */
long fgetxattr(int file, const char *name, void *value, size_t byte_count);
int fsetxattr(
    int file, const char *name, const void *value, size_t byte_count, int flags);
int fremovexattr(int file, const char *name);
long flistxattr(int file, char *names, size_t byte_count);
/* By path: only the plain folder that tests compare a volume with. */
long getxattr(const char *path, const char *name, void *value, size_t byte_count);
int setxattr(
    const char *path, const char *name, const void *value, size_t byte_count, int flags);
int removexattr(const char *path, const char *name);
long listxattr(const char *path, char *names, size_t byte_count);
enum { CLINUX_XATTR_CREATE = 1, CLINUX_XATTR_REPLACE = 2 };

/* Behind _GNU_SOURCE: stdio.h, dirent.h, unistd.h, fcntl.h */
int renameat2(
    int old_folder, const char *old_name, int new_folder, const char *new_name,
    unsigned int flags);
long getdents64(int folder, void *buffer, size_t byte_count);
int syncfs(int file);
int fallocate(int file, int mode, long offset, long byte_count);
enum { CLINUX_O_NOATIME = 01000000, CLINUX_SEEK_DATA = 3, CLINUX_SEEK_HOLE = 4 };

/* linux/fs.h: RENAME_NOREPLACE, RENAME_EXCHANGE */
enum { CLINUX_RENAME_NOREPLACE = 1, CLINUX_RENAME_EXCHANGE = 2 };

/* linux/falloc.h: FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE */
enum { CLINUX_FALLOC_KEEP_SIZE = 1, CLINUX_FALLOC_PUNCH_HOLE = 2 };

/* sys/stat.h, as macros that Swift cannot read: UTIME_NOW, UTIME_OMIT */
enum { CLINUX_UTIME_NOW = (1 << 30) - 1, CLINUX_UTIME_OMIT = (1 << 30) - 2 };
