/* libfuse 3, low-level API. The version must be fixed before the header is read. */
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

/* getxattr() and setxattr(), which Swift's Glibc leaves out: a class as programs outside see it. */
#include <sys/xattr.h>
