// marram/scene.h: a built world: what stands in it, what its rules did, its content hash, and the files it becomes.
//
// A scene is read-only once built: any number of threads may read one, and it outlives the world it was built from. What
// its functions point at is the scene's own and stays until mr_scene_destroy. Lengths are metres.

#ifndef MARRAM_SCENE_H
#define MARRAM_SCENE_H

#include <marram/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mr_scene mr_scene;

// How many parts or placed things stand under one path: a part, or all of a numbered family. The library alone makes
// these two records; later versions may add fields at their ends.
typedef struct mr_family {
    const char *path; // "island.vegetation.tree"
    uint64_t count;
} mr_family;

// What became of a rule's candidates.
typedef struct mr_rule_report {
    const char *name;
    uint64_t candidates; // tried
    uint64_t off_land;   // fell: off the land
    uint64_t keep;       // fell: keep
    uint64_t cap;        // not tried: the cap was reached
    uint64_t footprint;  // fell: a part's footprint
    uint64_t clearance;  // fell: a part's clearance disc
    uint64_t keep_clear; // fell: keepClearOf
    uint64_t blocked;    // fell: the room of something placed
    uint64_t placed;
    uint64_t draws; // numbers drawn from its stream
} mr_rule_report;

// The world's name: its file's, without folder and ending.
MR_API const char *mr_scene_name(const mr_scene *scene);

// How many parts stand in it, and how many things its scatters placed.
MR_API uint64_t mr_scene_part_count(const mr_scene *scene);
MR_API uint64_t mr_scene_placed_count(const mr_scene *scene);

// The families in the order of their declarations; NULL from mr_scene_family_count on.
MR_API size_t mr_scene_family_count(const mr_scene *scene);
MR_API const mr_family *mr_scene_family(const mr_scene *scene, size_t index);

// The rules of all scatters, in declaration and list order; NULL from mr_scene_rule_count on. population, which may be
// NULL, gets the path of the scatter the rule is one of ("island.vegetation.layout").
MR_API size_t mr_scene_rule_count(const mr_scene *scene);
MR_API const mr_rule_report *mr_scene_rule(const mr_scene *scene, size_t index, const char **population);

// The box, in metres, round everything that stands and round the grounds, as its least and its greatest corner (x, y, z;
// y is up). False, with both left as they were, when there is nothing.
MR_API bool mr_scene_bounds(const mr_scene *scene, float low[3], float high[3]);

// The content hash: 32 hexadecimal digits and a 0. It covers decoded values in a canonical order, never the bytes of
// files: two builds with one hash made the same world to the last bit, on whatever machine. Computed by each call.
enum { MR_HASH_SIZE = 33 };
MR_API void mr_scene_hash(const mr_scene *scene, char hash[MR_HASH_SIZE]);

// Ends a scene. NULL is allowed. Its context must still be there.
MR_API void mr_scene_destroy(mr_scene *scene);

// The files a scene can be written as. A second ground's height files are named height-2.exr and so on.
enum {
    MR_WRITE_MANIFEST = 1,   // manifest.json
    MR_WRITE_GLB = 2,        // world.glb
    MR_WRITE_HEIGHT_EXR = 4, // height.exr: metres, 32-bit floats
    MR_WRITE_HEIGHT_PNG = 8, // height.png: 16 bits; its range stands in the file and in the manifest
    MR_WRITE_LAYOUT = 16,    // layout.csv: a line a placed thing
    MR_WRITE_MAP = 32,       // map.png
    MR_WRITE_ALL = 63,
};

typedef struct mr_write_options {
    size_t size;      // sizeof(mr_write_options), set by mr_write_options_default()
    uint32_t files;   // the sum of what is to be written; MR_WRITE_ALL by default
    bool plain_nodes; // world.glb has a node for every copy, for readers without EXT_mesh_gpu_instancing
    void *user;       // handed back unread
    // Called once, on the calling thread, when all files are in place: the text of the manifest (UTF-8, `size` bytes, and
    // a 0 behind them), also where manifest.json is not among the files. It stays for the call alone. NULL: nothing is
    // called.
    void (*manifest)(void *user, const char *text, size_t size);
} mr_write_options;

// All files, instanced copies, no hook.
MR_API mr_write_options mr_write_options_default(void);

// Writes into folder, which is made when missing. The files appear together when the last is whole, the manifest last of
// all; after an error what stood there stands there still. options may be NULL for the defaults. Errors: MR_BAD_INPUT
// (options that mean nothing, a folder that cannot be one), MR_LIMIT (more than 16 grounds, a file too large for its
// format), MR_SYSTEM (the disk is full, no permission), MR_OUT_OF_MEMORY, MR_CANCELLED.
MR_API bool mr_scene_write(const mr_scene *scene, const char *folder, const mr_write_options *options,
                           mr_error *error);

#ifdef __cplusplus
}
#endif

#endif
