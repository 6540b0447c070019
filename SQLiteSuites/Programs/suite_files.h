/* Included first into SQLite's test programs: what they ask of database files beside SQLite, they
** ask of the volume, if one is under them. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include <stdio.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *suite_fopen(const char *name, const char *mode);
int suite_stat(const char *name, struct stat *status);
int suite_unlink(const char *name);
int suite_access(const char *name, int mode);

#ifndef SUITE_FILES_INSIDE
# define fopen(a, b) suite_fopen(a, b)
# define stat(a, b) suite_stat(a, b)
# define unlink(a) suite_unlink(a)
# define access(a, b) suite_access(a, b)
#endif
