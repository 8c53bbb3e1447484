// script/files.c: which files a program may run: those in the world's folder and in the packages', by relative names.

#include "base/array.h"
#include "base/file.h"
#include "script/plan.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_BYTES = 4 << 20 };

void mr_script_files_destroy(mr_script_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        mr_free(files->context, files->items[i].text);
    }
    mr_free(files->context, files->items);
    files->items = NULL;
    files->count = files->capacity = 0;
}

static bool fail_name(mr_error *error, const char *name, const char *why)
{
    return mr_fail(error, MR_BAD_INPUT, "\"%.200s\" cannot be run: %s", name, why);
}

// A relative path of plain parts: no root, no way up, no hidden file, no drive, no backslash.
static bool check_name(const char *name, mr_error *error)
{
    if (!name[0]) {
        return mr_fail(error, MR_BAD_INPUT, "the name of a file is empty");
    }
    if (strlen(name) >= MR_PATH_SIZE - 64) {
        return fail_name(error, name, "the name is too long");
    }
    if (name[0] == '/') {
        return fail_name(error, name, "files are named relative to the world's folder");
    }
    for (const char *part = name; *part;) {
        size_t size = strcspn(part, "/");
        if (size == 0 || part[0] == '.') {
            return fail_name(error, name, "no part of the name may be empty or begin with a point");
        }
        part += size + (part[size] == '/');
    }
    for (const char *at = name; *at; at++) {
        if ((unsigned char)*at < 32 || strchr("\\:@", *at)) {
            return fail_name(error, name, "the name has a character that file names here do not have");
        }
    }
    return true;
}

// Whether path, every link followed, still lies within folder.
static bool stays_within(const char *folder, const char *path)
{
    char real_folder[PATH_MAX], real_path[PATH_MAX];
    if (!realpath(folder, real_folder) || !realpath(path, real_path)) {
        return false;
    }
    size_t size = strlen(real_folder);
    size = size == 1 ? 0 : size; // the root
    return strncmp(real_path, real_folder, size) == 0 && real_path[size] == '/';
}

static const mr_script_file *kept(const mr_script_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].name, name) == 0) {
            return &files->items[i];
        }
    }
    return NULL;
}

static bool read_file(mr_script_files *files, const char *name, const char *path, const mr_script_file **file,
                      mr_error *error)
{
    mr_script_file made = { 0 };
    if (!mr_file_read(files->context, path, MOST_BYTES, &made.text, &made.size, error)) {
        return false;
    }
    mr_text_format(made.name, sizeof made.name, "%s", name);
    if (made.size >= 4 && memcmp(made.text, LUA_SIGNATURE, 4) == 0) {
        mr_free(files->context, made.text);
        return fail_name(error, name, "it is compiled Lua; give its text");
    }
    MR_ARRAY(mr_script_file) list = { files->items, files->count, files->capacity };
    bool pushed = mr_array_push(files->context, &list, made);
    files->items = list.items;
    files->count = list.count;
    files->capacity = list.capacity;
    if (!pushed) {
        mr_free(files->context, made.text);
        return mr_fail_memory(error, sizeof made);
    }
    *file = &files->items[files->count - 1];
    return true;
}

// Finds name in the folders; *file stays NULL, without an error, when it is in none.
static bool look_for(mr_script_files *files, const char *name, const mr_script_file **file, mr_error *error)
{
    *file = kept(files, name);
    for (size_t i = 0; !*file && i < 2; i++) {
        char path[MR_PATH_SIZE];
        if (!files->folders[i]) {
            continue;
        }
        if (!mr_path_join(path, files->folders[i], name, error)) {
            return false;
        }
        if (!mr_path_exists(path) || mr_path_is_folder(path)) {
            continue;
        }
        if (!stays_within(files->folders[i], path)) {
            return fail_name(error, name, "it is a link that leads out of the world's folder");
        }
        if (files->complete) {
            return mr_fail(error, MR_BAD_INPUT,
                           "\"%.200s\" is asked for while the graph is planned; require it at the top of the "
                           "file, so that it is read with it",
                           name);
        }
        return read_file(files, name, path, file, error);
    }
    return true;
}

bool mr_script_files_get(mr_script_files *files, const char *name, const mr_script_file **file,
                         mr_error *error)
{
    *file = NULL;
    if (!check_name(name, error) || !look_for(files, name, file, error)) {
        return false;
    }
    return *file || mr_fail(error, MR_BAD_INPUT, "there is no file \"%.200s\" in the world's folder", name);
}

// "lib.shapes" or "lib/shapes": lib/shapes.lua or lib/shapes/init.lua, in the folder itself or under its packages/.
bool mr_script_files_module(mr_script_files *files, const char *name, const mr_script_file **file,
                            mr_error *error)
{
    static const char *const forms[] = { "%s.lua", "%s/init.lua", "packages/%s.lua", "packages/%s/init.lua" };
    char slashed[MR_PATH_SIZE], tried[MR_PATH_SIZE];
    if (strlen(name) >= sizeof slashed) {
        return fail_name(error, name, "the name is too long");
    }
    mr_text_format(slashed, sizeof slashed, "%s", name);
    for (char *at = slashed; *at; at++) {
        *at = *at == '.' && at[1] != '.' && at[1] != '/' && at != slashed && at[-1] != '.' && at[-1] != '/'
                  ? '/'
                  : *at;
    }
    if (!check_name(slashed, error)) {
        return false;
    }
    *file = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (mr_text_format(tried, sizeof tried, forms[i], slashed) >= sizeof tried) {
            return fail_name(error, name, "the name is too long");
        }
        if (!look_for(files, tried, file, error)) {
            return false;
        }
        if (*file) {
            return true;
        }
    }
    return mr_fail(error, MR_BAD_INPUT,
                   "there is no module \"%.200s\": neither %.200s.lua nor %.200s/init.lua is in the world's "
                   "folder or its packages",
                   name, slashed, slashed);
}

void mr_script_files_digest(const mr_script_files *files, mr_digester *digester)
{
    for (size_t i = 0; i < files->count; i++) {
        mr_digest_text(digester, mr_view_of(files->items[i].name));
        mr_digest_text(digester, (mr_view){ files->items[i].text, files->items[i].size });
    }
}

// Upvalue 1: the modules run so far, by file name.
static int require(lua_State *L)
{
    size_t size;
    const char *name = luaL_checklstring(L, 1, &size);
    luaL_argcheck(L, strlen(name) == size, 1, "a module's name has no zero in it");
    const mr_script_file *file;
    mr_error error = { 0 };
    if (!mr_script_files_module(mr_script_plan_of(L)->files, name, &file, &error)) {
        return mr_script_raise(L, &error);
    }
    lua_settop(L, 1);
    int type = lua_getfield(L, lua_upvalueindex(1), file->name);
    if (type == LUA_TLIGHTUSERDATA) {
        return luaL_error(L, "module \"%s\" requires itself, or failed before", name);
    }
    if (type != LUA_TNIL) {
        return 1;
    }
    lua_settop(L, 1);
    lua_pushlightuserdata(L, mr_script_of(L));
    lua_setfield(L, lua_upvalueindex(1), file->name);
    // The list of files may move while the module runs: what is needed of it is copied to the stack.
    lua_pushstring(L, file->name);
    mr_script_compile(L, file->name, (mr_view){ file->text, file->size });
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1)) {
        lua_pushboolean(L, 1);
        lua_replace(L, -2);
    }
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, lua_upvalueindex(1));
    return 1;
}

void mr_script_open_require(lua_State *L)
{
    lua_newtable(L);
    lua_pushcclosure(L, require, 1);
    lua_setglobal(L, "require");
}
