// kernel/tile_layout.h: how a field of cells is stored: as tiles that hold copies of their neighbours' cells.
//
// A field of cells[0] x cells[1] x cells[2] is cut along x and z into tiles of core[0] x cells[1] x core[2] cells; each
// stores an apron of `apron` more on all four sides. The tiles follow each other x fastest, then z; in a tile the cells
// are x fastest, then y, then z, and `lanes` words stand in each. Tiles at the far ends are stored as large as any, so
// what they hold may lie past the field. One tile of the whole field is a grid (no apron), or a layer of a raster (the
// margin its apron).

#ifndef MARRAM_KERNEL_TILE_LAYOUT_H
#define MARRAM_KERNEL_TILE_LAYOUT_H

#include "base/memory.h"

typedef struct mr_tile_layout {
    size_t cells[3];
    size_t core[3];   // core[1] is cells[1]
    size_t apron[3];  // apron[1] is 0
    size_t stored[3]; // core + 2 apron
    size_t tiles[3];  // tiles[1] is 1
    size_t lanes;
    size_t total; // cells stored in all tiles
} mr_tile_layout;

// A core of 0 is the whole field. False where the cells stored, or their words, pass a size_t.
static inline bool mr_tile_layout_make(mr_tile_layout *layout, const size_t cells[3], size_t core_x,
                                       size_t core_z, size_t apron, size_t lanes)
{
    const size_t cores[3] = { core_x ? core_x : cells[0], cells[1], core_z ? core_z : cells[2] };
    size_t words;
    *layout = (mr_tile_layout){ .lanes = lanes, .total = 1 };
    for (int a = 0; a < 3; a++) {
        layout->cells[a] = cells[a];
        layout->core[a] = cores[a];
        layout->apron[a] = a == 1 ? 0 : apron;
        layout->stored[a] = cores[a] + 2 * layout->apron[a];
        layout->tiles[a] = (cells[a] + cores[a] - 1) / cores[a];
        if (!mr_size_multiply(layout->total, layout->stored[a], &layout->total) ||
            !mr_size_multiply(layout->total, layout->tiles[a], &layout->total)) {
            return false;
        }
    }
    return mr_size_multiply(layout->total, 4 * lanes, &words);
}

// Where a stored cell is: its tile, its place in what the tile stores, and the cell of the field it stands for, which
// may lie past the field in an apron or a border tile.
typedef struct mr_tile_cell {
    size_t tile;
    size_t local[3];
    int64_t field[3];
} mr_tile_cell;

static inline mr_tile_cell mr_tile_decode(const mr_tile_layout *layout, size_t number)
{
    mr_tile_cell cell;
    size_t in_tile = layout->stored[0] * layout->stored[1] * layout->stored[2], rest = number % in_tile;
    cell.tile = number / in_tile;
    cell.local[0] = rest % layout->stored[0];
    cell.local[1] = rest / layout->stored[0] % layout->stored[1];
    cell.local[2] = rest / layout->stored[0] / layout->stored[1];
    const size_t tile[3] = { cell.tile % layout->tiles[0], 0, cell.tile / layout->tiles[0] };
    for (int a = 0; a < 3; a++) {
        cell.field[a] = (int64_t)(tile[a] * layout->core[a] + cell.local[a]) - (int64_t)layout->apron[a];
    }
    return cell;
}

static inline size_t mr_tile_index(const mr_tile_layout *layout, size_t tile, const size_t local[3])
{
    return ((tile * layout->stored[2] + local[2]) * layout->stored[1] + local[1]) * layout->stored[0] +
           local[0];
}

// The stored number of a cell of the field in the tile whose core it is.
static inline size_t mr_tile_owner_index(const mr_tile_layout *layout, const size_t cell[3])
{
    size_t local[3], tile[3];
    for (int a = 0; a < 3; a++) {
        tile[a] = cell[a] / layout->core[a];
        local[a] = cell[a] % layout->core[a] + layout->apron[a];
    }
    return mr_tile_index(layout, tile[2] * layout->tiles[0] + tile[0], local);
}

// The stored number of what stands `offset` from a cell, held to what its tile stores.
static inline size_t mr_tile_neighbour_index(const mr_tile_layout *layout, const mr_tile_cell *cell,
                                             const int64_t offset[3])
{
    size_t local[3];
    for (int a = 0; a < 3; a++) {
        int64_t at = (int64_t)cell->local[a] + offset[a], last = (int64_t)layout->stored[a] - 1;
        local[a] = (size_t)(at < 0 ? 0 : at < last ? at : last);
    }
    return mr_tile_index(layout, cell->tile, local);
}

#endif
