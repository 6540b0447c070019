/* libfuse 3, low-level API. The version must be fixed before the header is read. */
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
