/* libfuse 3, low-level API. The version must be fixed before the header is read. */
#define FUSE_USE_VERSION 314
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <fuse_lowlevel.h>
