// base/file.h: whole files in, whole files out.

#ifndef MARRAM_BASE_FILE_H
#define MARRAM_BASE_FILE_H

#include "base/text.h"

// Reads a whole file (a 0 is put behind it). limit: the most bytes it may have, 0 for no limit. Free with mr_free.
// Errors: MR_BAD_INPUT where the path leads to no file, MR_LIMIT, MR_SYSTEM, MR_OUT_OF_MEMORY; MR_CANCELLED where a signal
// interrupts the wait for a pipe.
bool mr_file_read(mr_context *context, const char *path, uint64_t limit, char **bytes, size_t *size,
                  mr_error *error);

// Writes beside the target and renames over it, with the file and its folder synced, so that a reader sees the old
// file or the new one and never half of one. begin opens the file beside; commit publishes it; abandon (also after
// a failed commit, and harmless after a good one) removes it.
typedef struct mr_file_writer {
    mr_context *context;
    int descriptor;
    char path[MR_PATH_SIZE];
    char beside[MR_PATH_SIZE + 24];
    uint64_t written;
} mr_file_writer;
bool mr_file_begin(mr_context *context, const char *path, mr_file_writer *writer, mr_error *error);
bool mr_file_write(mr_file_writer *writer, const void *bytes, size_t size, mr_error *error);
bool mr_file_write_at(mr_file_writer *writer, uint64_t offset, const void *bytes, size_t size,
                      mr_error *error);
bool mr_file_commit(mr_file_writer *writer, mr_error *error);
void mr_file_abandon(mr_file_writer *writer);

// The whole of it at once.
bool mr_file_save(mr_context *context, const char *path, const void *bytes, size_t size, mr_error *error);

// Several files that appear together. begin makes the folder, where there is none, and one in it for the files to be
// written to (set.beside, by any means); commit, once all are whole, puts those named in their places, in the order
// named; abandon (also after a failed commit, and harmless after a good one) removes what is beside, and the folders
// that begin made, and has the error speak of the places the files would have had. What stood there stays until the
// commit. Of sets committed at once, by any programs, one stands whole at the end, not some files of each.
typedef struct mr_file_set {
    mr_context *context;
    char folder[MR_PATH_SIZE];
    char beside[MR_PATH_SIZE];
    size_t stood; // how much of the folder's path was there before
} mr_file_set;
bool mr_file_set_begin(mr_context *context, const char *folder, mr_file_set *set, mr_error *error);
bool mr_file_set_commit(mr_file_set *set, const char *const *names, size_t count, mr_error *error);
void mr_file_set_abandon(mr_file_set *set, mr_error *error);

// Makes a folder and its parents; no error when it is there.
bool mr_folder_create(const char *path, mr_error *error);
bool mr_path_exists(const char *path);
bool mr_path_is_folder(const char *path);
// "folder/name" into out (MR_PATH_SIZE bytes); false when too long. An absolute name stands alone.
bool mr_path_join(char *out, const char *folder, const char *name, mr_error *error);
// The folder part of path ("." where there is none) into out.
bool mr_path_folder(char *out, const char *path, mr_error *error);

#endif
