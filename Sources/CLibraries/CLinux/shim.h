/*
 * What glibc has and Swift's Glibc module leaves out. Declarations only, no logic.
 *
 * Includes nothing: a header of glibc named here would move its types from the module Glibc into
 * this one, for every file of the program that imports both. On 64-bit Linux `long` is ssize_t and
 * `unsigned long` is size_t.
 */

/* sys/xattr.h */
long fgetxattr(int file, const char *name, void *value, unsigned long byte_count);
int fsetxattr(
    int file, const char *name, const void *value, unsigned long byte_count, int flags);

/* Behind _GNU_SOURCE: stdio.h, dirent.h, unistd.h */
int renameat2(
    int old_folder, const char *old_name, int new_folder, const char *new_name,
    unsigned int flags);
long getdents64(int folder, void *buffer, unsigned long byte_count);
int syncfs(int file);

/* linux/fs.h: RENAME_NOREPLACE, RENAME_EXCHANGE */
enum { CLINUX_RENAME_NOREPLACE = 1, CLINUX_RENAME_EXCHANGE = 2 };
