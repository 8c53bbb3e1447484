// io/image.h: what the picture codecs share: sizes checked before memory is taken, and libraries' own memory counted.

#ifndef MARRAM_IO_IMAGE_H
#define MARRAM_IO_IMAGE_H

#include "base/memory.h"

// No picture may be wider or higher than this, nor decode to more bytes than this.
enum { MR_IMAGE_SIDE_LIMIT = 1 << 20 };
#define MR_IMAGE_BYTES_LIMIT ((uint64_t)4 << 30)

// width * height * channels f32 samples; refused with the sum worked out (MR_LIMIT) when past the limits above, and
// as MR_BAD_INPUT when a count is 0. `name` is the file's.
bool mr_image_check(const char *name, uint64_t width, uint64_t height, uint64_t channels, mr_error *error);

// The codecs' libraries take allocation functions without a user pointer. While a call into one of them is under way
// on a thread, a scope stands for it, so that their memory too counts against the context's limit. When an allocation
// was refused a library's own tidying cannot be trusted (libspng 0.7.3 then frees what it never had): leave it be, for the
// scope's end frees every block that is left.
typedef struct mr_library_block mr_library_block;
typedef struct mr_library_scope {
    mr_context *context;
    mr_library_block *blocks;
    bool refused; // an allocation failed, whatever the library made of it
    size_t refused_size;
    struct mr_library_scope *before;
} mr_library_scope;
void mr_library_begin(mr_library_scope *scope, mr_context *context);
void mr_library_end(mr_library_scope *scope);
// MR_OUT_OF_MEMORY or MR_LIMIT, with the size that was refused: "NAME: cannot DOING: ...".
bool mr_library_fail(const mr_library_scope *scope, const char *name, const char *doing, mr_error *error);
void *mr_library_allocate(size_t size);
void *mr_library_allocate_zeroed(size_t count, size_t size);
void *mr_library_reallocate(void *memory, size_t size);
void mr_library_free(void *memory);

#endif
