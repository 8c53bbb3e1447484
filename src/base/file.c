// base/file.c: whole files in, whole files out.

#include "base/file.h"

#include "base/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The system's own texts depend on its library and the locale.
static const char *reason(int number, char room[32])
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {
        { ENOENT, "there is no such file or folder" },
        { EACCES, "permission is denied" },
        { EPERM, "the system does not permit it" },
        { ENOSPC, "the disk is full" },
        { EDQUOT, "the disk quota is used up" },
        { EROFS, "the file system is read-only" },
        { EISDIR, "it is a folder" },
        { ENOTDIR, "a part of the path is not a folder" },
        { ENAMETOOLONG, "the path is too long" },
        { EMFILE, "too many files are open" },
        { ENFILE, "too many files are open on this machine" },
        { EIO, "the device failed" },
        { EFBIG, "the file would be larger than the system allows" },
        { ELOOP, "too many links in the path" },
        { EEXIST, "it is there already" },
        { EBUSY, "it is in use" },
        { ENXIO, "there is no such device" },
        { EPIPE, "nothing reads the other end" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].number == number) {
            return texts[i].text;
        }
    }
    mr_text_format(room, 32, "system error %d", number);
    return room;
}

// A path that leads nowhere is what the caller gave; all else is the system's refusal.
static mr_status status_of(int number)
{
    bool path_is_wrong = number == ENOENT || number == ENOTDIR || number == EISDIR ||
                         number == ENAMETOOLONG || number == ELOOP;
    return path_is_wrong ? MR_BAD_INPUT : MR_SYSTEM;
}

static bool fail_system(mr_error *error, const char *what, const char *path, int number)
{
    char room[32];
    return mr_fail(error, status_of(number), "cannot %s \"%s\": %s", what, path, reason(number, room));
}

static bool check_path(const char *path, mr_error *error)
{
    if (!path || !*path) {
        return mr_fail(error, MR_BAD_INPUT, "the path is empty");
    }
    size_t size = strlen(path);
    if (size >= MR_PATH_SIZE) {
        return mr_fail(error, MR_BAD_INPUT, "the path \"%.60s...\" has %zu bytes; at most %d are allowed",
                       path, size, MR_PATH_SIZE - 1);
    }
    return true;
}

// A signal that did not cancel the context is no reason to stop; one that did ends the wait for a pipe's other end.
static bool go_on(mr_context *context, int number)
{
    return number == EINTR && mr_keep_going(context, NULL);
}

static int open_again(mr_context *context, const char *path, int flags, mode_t mode)
{
    int descriptor;
    do {
        descriptor = open(path, flags | O_CLOEXEC, mode);
    } while (descriptor < 0 && go_on(context, errno));
    return descriptor;
}

static bool fail_too_large(const char *path, uint64_t limit, mr_error *error)
{
    return mr_fail(error, MR_LIMIT, "\"%s\" has more than the %llu bytes that are allowed", path,
                   (unsigned long long)limit);
}

static bool fail_read(mr_context *context, const char *path, int number, mr_error *error)
{
    return number == EINTR ? mr_keep_going(context, error) : fail_system(error, "read", path, number);
}

// Reads until the end into a block that grows; what the file system says about the size is only a first guess.
static bool read_all(mr_context *context, int descriptor, const char *path, uint64_t limit, uint64_t guess,
                     char **bytes, size_t *size, mr_error *error)
{
    size_t capacity = guess < SIZE_MAX / 4 ? (size_t)guess + 1 : 1;
    char *data = mr_allocate(context, capacity);
    size_t have = 0;
    if (!data) {
        return mr_fail_memory(error, capacity);
    }
    for (;;) {
        if (have + 1 >= capacity) {
            size_t larger = capacity < 4096 ? 8192 : capacity + capacity / 2;
            // A file of the guessed size ends here; one byte on the stack sees whether it does.
            char probe;
            ssize_t got = read(descriptor, &probe, 1);
            if (got == 0) {
                break;
            }
            if (got < 0 && go_on(context, errno)) {
                continue;
            }
            if (got < 0) {
                mr_free(context, data);
                return fail_read(context, path, errno, error);
            }
            char *grown = larger > capacity ? mr_reallocate(context, data, larger) : NULL;
            if (!grown) {
                mr_free(context, data);
                return mr_fail_memory(error, larger);
            }
            data = grown;
            capacity = larger;
            data[have++] = probe;
        } else {
            size_t room = capacity - 1 - have;
            ssize_t got = read(descriptor, data + have, room < ((size_t)1 << 30) ? room : (size_t)1 << 30);
            if (got == 0) {
                break;
            }
            if (got < 0 && !go_on(context, errno)) {
                mr_free(context, data);
                return fail_read(context, path, errno, error);
            }
            have += got > 0 ? (size_t)got : 0;
        }
        if (limit && have > limit) {
            mr_free(context, data);
            return fail_too_large(path, limit, error);
        }
    }
    data[have] = '\0';
    *bytes = data;
    *size = have;
    return true;
}

bool mr_file_read(mr_context *context, const char *path, uint64_t limit, char **bytes, size_t *size,
                  mr_error *error)
{
    if (!check_path(path, error)) {
        return false;
    }
    int descriptor = open_again(context, path, O_RDONLY, 0);
    if (descriptor < 0) {
        return errno == EINTR ? mr_keep_going(context, error) : fail_system(error, "open", path, errno);
    }
    bool done = false;
    struct stat about;
    if (fstat(descriptor, &about) != 0) {
        fail_system(error, "read", path, errno);
    } else if (S_ISDIR(about.st_mode)) {
        fail_system(error, "read", path, EISDIR);
    } else if (limit && about.st_size > 0 && (uint64_t)about.st_size > limit) {
        mr_fail(error, MR_LIMIT, "\"%s\" has %llu bytes; at most %llu are allowed", path,
                (unsigned long long)about.st_size, (unsigned long long)limit);
    } else {
        done = read_all(context, descriptor, path, limit, about.st_size > 0 ? (uint64_t)about.st_size : 0,
                        bytes, size, error);
    }
    close(descriptor);
    return done;
}

bool mr_path_folder(char *out, const char *path, mr_error *error)
{
    if (!check_path(path, error)) {
        return false;
    }
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    while (size > 0 && path[size - 1] != '/') {
        size--;
    }
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    if (size == 0) {
        path = ".";
        size = 1;
    }
    memmove(out, path, size);
    out[size] = '\0';
    return true;
}

bool mr_path_join(char *out, const char *folder, const char *name, mr_error *error)
{
    char joined[MR_PATH_SIZE];
    size_t size = strlen(folder);
    bool alone = name[0] == '/' || size == 0;
    size_t length = mr_text_format(joined, sizeof joined, "%s%s%s", alone ? "" : folder,
                                   alone || folder[size - 1] == '/' ? "" : "/", name);
    if (length >= sizeof joined) {
        return mr_fail(error, MR_BAD_INPUT,
                       "the path of \"%.40s\" in \"%.40s\" has %zu bytes; at most %d are allowed", name,
                       folder, length, MR_PATH_SIZE - 1);
    }
    memcpy(out, joined, length + 1);
    return true;
}

bool mr_path_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool mr_path_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool fail_folder(mr_error *error, const char *path, int number)
{
    struct stat about;
    if (number != EEXIST) {
        return fail_system(error, "make the folder", path, number);
    }
    if (stat(path, &about) == 0) {
        mr_fail(error, MR_BAD_INPUT, "cannot make the folder \"%s\": it is there and is not a folder", path);
        return mr_hint(error, "name another folder, or move what is there out of the way");
    }
    if (errno == ENOENT) {
        return mr_fail(error, MR_BAD_INPUT, "cannot make the folder \"%s\": it is a link that leads nowhere",
                       path);
    }
    return fail_system(error, "make the folder", path, errno);
}

bool mr_folder_create(const char *path, mr_error *error)
{
    if (!check_path(path, error)) {
        return false;
    }
    char part[MR_PATH_SIZE];
    size_t size = strlen(path);
    for (size_t end = 1; end <= size; end++) {
        if (end < size && path[end] != '/') {
            continue;
        }
        memcpy(part, path, end);
        part[end] = '\0';
        int number = mkdir(part, 0777) != 0 ? errno : 0;
        if (number && !mr_path_is_folder(part)) {
            return fail_folder(error, part, number);
        }
    }
    return true;
}

// What is written beside its place has a short name of its own, so that the place's may be as long as the system
// allows.
static size_t name_beside(char *path, size_t size, const char *folder)
{
    static atomic_uint turn;
    unsigned number = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    return mr_text_format(path, size, "%s/.marram-%x-%x", folder, (unsigned)getpid(), number);
}

enum { MOST_ATTEMPTS = 1000 }; // others' names, left over, are in the way

static bool open_beside(mr_file_writer *writer, mode_t mode, mr_error *error)
{
    char folder[MR_PATH_SIZE];
    if (!mr_path_folder(folder, writer->path, error)) {
        return false;
    }
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        name_beside(writer->beside, sizeof writer->beside, folder);
        writer->descriptor = open_again(writer->context, writer->beside, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (writer->descriptor >= 0) {
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return fail_system(error, "write", writer->path, errno);
}

// What is to be written over must be an ordinary file. mode: its permissions, 0 where there is none yet.
static bool check_target(const char *path, mode_t *mode, mr_error *error)
{
    struct stat about;
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        return fail_system(error, "write", path, EISDIR);
    }
    if (there && !S_ISREG(about.st_mode)) {
        return mr_fail(error, MR_BAD_INPUT, "cannot write \"%s\": it is there and is not an ordinary file",
                       path);
    }
    *mode = there ? about.st_mode & 0777 : 0;
    return true;
}

bool mr_file_begin(mr_context *context, const char *path, mr_file_writer *writer, mr_error *error)
{
    mr_file_writer made = { .context = context, .descriptor = -1 };
    *writer = made;
    if (!check_path(path, error)) {
        return false;
    }
    memcpy(made.path, path, strlen(path) + 1);
    mode_t mode = 0;
    if (!check_target(path, &mode, error) || !open_beside(&made, 0666, error)) {
        return false;
    }
    if (mode) {
        (void)!fchmod(made.descriptor, mode); // as far as the file system can
    }
    *writer = made;
    return true;
}

bool mr_file_write_at(mr_file_writer *writer, uint64_t offset, const void *bytes, size_t size,
                      mr_error *error)
{
    const char *from = bytes;
    if (offset > INT64_MAX - size) {
        return fail_system(error, "write", writer->path, EFBIG);
    }
    while (size) {
        size_t some = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;
        ssize_t done = pwrite(writer->descriptor, from, some, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            char room[32];
            return mr_fail(error, MR_SYSTEM, "cannot write \"%s\": %s (after %llu bytes)", writer->path,
                           reason(done < 0 ? errno : ENOSPC, room), (unsigned long long)offset);
        }
        from += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    writer->written = offset > writer->written ? offset : writer->written;
    return true;
}

bool mr_file_write(mr_file_writer *writer, const void *bytes, size_t size, mr_error *error)
{
    return mr_file_write_at(writer, writer->written, bytes, size, error);
}

static int sync_again(int descriptor)
{
    int answer;
    do {
        answer = fsync(descriptor);
    } while (answer != 0 && errno == EINTR);
    return answer != 0 && (errno == EINVAL || errno == ENOTSUP)
               ? 0
               : answer; // some file systems have nothing to sync
}

// The rename is on the disk only once its folder is.
static bool sync_folder(mr_context *context, const char *path, mr_error *error)
{
    char folder[MR_PATH_SIZE];
    if (!mr_path_folder(folder, path, error)) {
        return false;
    }
    int descriptor = open_again(context, folder, O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0) {
        return errno == EACCES ? true : fail_system(error, "sync the folder of", path, errno);
    }
    bool done = sync_again(descriptor) == 0;
    if (!done) {
        fail_system(error, "sync the folder of", path, errno);
    }
    close(descriptor);
    return done;
}

bool mr_file_commit(mr_file_writer *writer, mr_error *error)
{
    int number = 0;
    if (sync_again(writer->descriptor) != 0) {
        number = errno;
    }
    // Interrupted or not, the descriptor is gone after close.
    if (close(writer->descriptor) != 0 && errno != EINTR && !number) {
        number = errno;
    }
    writer->descriptor = -1;
    if (!number && rename(writer->beside, writer->path) != 0) {
        number = errno;
    }
    if (number) {
        mr_file_abandon(writer);
        return fail_system(error, "write", writer->path, number);
    }
    writer->beside[0] = '\0';
    return sync_folder(writer->context, writer->path, error);
}

void mr_file_abandon(mr_file_writer *writer)
{
    if (writer->descriptor >= 0) {
        close(writer->descriptor);
        writer->descriptor = -1;
    }
    if (writer->beside[0]) {
        unlink(writer->beside);
        writer->beside[0] = '\0';
    }
}

bool mr_file_save(mr_context *context, const char *path, const void *bytes, size_t size, mr_error *error)
{
    mr_file_writer writer;
    if (!mr_file_begin(context, path, &writer, error)) {
        return false;
    }
    if (!mr_file_write(&writer, bytes, size, error)) {
        mr_file_abandon(&writer);
        return false;
    }
    return mr_file_commit(&writer, error);
}

// How much of a path, in bytes from its start, leads to what is there.
static size_t part_that_stands(const char *path)
{
    char part[MR_PATH_SIZE];
    size_t stands = 0;
    size_t size = strlen(path);
    for (size_t end = 1; end <= size; end++) {
        if (end < size && path[end] != '/') {
            continue;
        }
        memcpy(part, path, end);
        part[end] = '\0';
        stands = mr_path_exists(part) ? end : stands;
    }
    return stands;
}

// What another puts into them meanwhile keeps them.
static void remove_made_folders(const mr_file_set *set)
{
    char part[MR_PATH_SIZE];
    size_t size = strlen(set->folder);
    for (size_t end = size; end > set->stood; end--) {
        if (end == size || set->folder[end] == '/') {
            memcpy(part, set->folder, end);
            part[end] = '\0';
            rmdir(part);
        }
    }
}

bool mr_file_set_begin(mr_context *context, const char *folder, mr_file_set *set, mr_error *error)
{
    mr_file_set made = { .context = context };
    *set = made;
    if (!check_path(folder, error)) {
        return false;
    }
    memcpy(made.folder, folder, strlen(folder) + 1);
    made.stood = part_that_stands(folder);
    if (!mr_folder_create(folder, error)) {
        remove_made_folders(&made);
        return false;
    }
    int number = EEXIST;
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS && number == EEXIST; attempt++) {
        bool fits = name_beside(made.beside, sizeof made.beside, folder) < sizeof made.beside;
        number = !fits ? ENAMETOOLONG : mkdir(made.beside, 0777) != 0 ? errno : 0;
    }
    if (number) {
        remove_made_folders(&made);
        return fail_system(error, "write to the folder", folder, number);
    }
    *set = made;
    return true;
}

// Everything that can be found out is found out before the first file is put in its place.
static bool check_set(const mr_file_set *set, const char *const *names, size_t count, mr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        char beside[MR_PATH_SIZE];
        char place[MR_PATH_SIZE];
        mode_t mode = 0;
        if (!mr_path_join(beside, set->beside, names[i], error) ||
            !mr_path_join(place, set->folder, names[i], error) || !check_target(place, &mode, error)) {
            return false;
        }
        if (mode) {
            (void)!chmod(beside, mode); // as far as the file system can
        }
    }
    return true;
}

enum { LONGEST_WAIT = 2000 }; // milliseconds

// Others that put a set into this folder now are let finish, so that the two sets do not mix. Who holds the folder longer
// than any of them would (a caller that guards the whole work) is not waited for, nor is it anywhere that has no locks.
// Answers the descriptor that holds the lock; -1 for none.
static int lock_folder(mr_context *context, const char *folder)
{
    int descriptor = open_again(context, folder, O_RDONLY | O_DIRECTORY, 0);
    for (int waited = 0; descriptor >= 0 && waited < LONGEST_WAIT; waited++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR) ||
            !mr_keep_going(context, NULL)) {
            break;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return descriptor;
}

static bool put_in_place(const mr_file_set *set, const char *const *names, size_t count, mr_error *error)
{
    char beside[MR_PATH_SIZE];
    char place[MR_PATH_SIZE];
    for (size_t i = 0; i < count; i++) {
        if (!mr_path_join(beside, set->beside, names[i], error) ||
            !mr_path_join(place, set->folder, names[i], error)) {
            return false;
        }
        if (rename(beside, place) != 0) {
            return fail_system(error, "write", place, errno);
        }
    }
    return true;
}

bool mr_file_set_commit(mr_file_set *set, const char *const *names, size_t count, mr_error *error)
{
    int lock = lock_folder(set->context, set->folder);
    bool done = check_set(set, names, count, error) && put_in_place(set, names, count, error);
    if (lock >= 0) {
        close(lock); // and the lock is gone
    }
    if (!done) {
        return false;
    }
    char place[MR_PATH_SIZE];
    set->stood = strlen(set->folder);
    mr_file_set_abandon(set, NULL);
    return count == 0 ||
           (mr_path_join(place, set->folder, names[0], error) && sync_folder(set->context, place, error));
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(path);
}

static void speak_of_the_place(char *text, const mr_file_set *set)
{
    char *at = strstr(text, set->beside);
    if (at) {
        size_t kept = strlen(set->folder);
        char *rest = at + strlen(set->beside);
        memcpy(at, set->folder, kept);
        memmove(at + kept, rest, strlen(rest) + 1);
    }
}

void mr_file_set_abandon(mr_file_set *set, mr_error *error)
{
    if (!set->beside[0]) {
        return;
    }
    if (error) {
        speak_of_the_place(error->message, set);
        speak_of_the_place(error->file, set);
    }
    remove_folder(set->beside);
    remove_made_folders(set);
    set->beside[0] = '\0';
}
