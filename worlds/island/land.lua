-- land.lua: the island's ground: a beach in the south, a wooded lowland, a hill behind, a brook, a level cottage site.
-- x is east, z is south (towards the open sea), the sea stands at height 0.

local sea_level = 0

-- The walkway from the landing to the cottage's steps, and its height at each point.
local walkway = {
    { -22, 0.75, 498 }, { -22, 2.3, 476 }, { -34, 4.4, 450 }, { -14, 6.2, 424 }, { -38, 6.3, 400 },
    { -12, 5.0, 378 }, { -22, 4.6, 354 }, { -16, 4.6, 340 }, { -16, 4.6, 333.6 },
}

-- Uniform Catmull-Rom through the points, every few metres: the line the world's spine runs.
local function smooth(points)
    local line = {}
    for i = 1, #points - 1 do
        local a, b, c, d = points[math.max(i - 1, 1)], points[i], points[i + 1], points[math.min(i + 2, #points)]
        for s = 0, 7 do
            local t = s / 8
            local at = {}
            for axis = 1, 3 do
                at[axis] = 0.5 * (2 * b[axis] + (c[axis] - a[axis]) * t
                    + (2 * a[axis] - 5 * b[axis] + 4 * c[axis] - d[axis]) * t * t
                    + (3 * b[axis] - a[axis] - 3 * c[axis] + d[axis]) * t * t * t)
            end
            line[#line + 1] = at
        end
    end
    line[#line + 1] = points[#points]
    return line
end

return proc.define {
    summary = "An island with a beach, a hill, a brook and a cottage site.",
    inputs = {
        { "seed", "Int", 20260520, min = 0, max = 4294967295, doc = "Another number, another island." },
        { "hill", "Number", 150, unit = "m", min = 0, max = 400, doc = "The hill's height." },
        { "brook", "List", doc = "The brook's points, as (x, z), from its spring to the sea." },
    },
    outputs = { { "ground", "Raster", "The island, with the layers water, waterMask, dressedArea and sand." } },
    build = function(g, inputs)
        local seed = inputs.seed
        local t = g.terrain
        local ground = t.source { size = { 2048, 2048 }, resolution = 2, height = 6.2 }

        -- Lumps before the coast is drawn make its line wander.
        ground = t.fbm { raster = ground, featureSize = 520, amplitude = 4.6, octaves = 5, seed = seed, warp = 110 }

        -- The hill behind, with a shoulder to the west that carries the woods, cut by ridges where it is high.
        ground = t.cone { raster = ground, at = { 30, -230 }, radius = 520, height = inputs.hill * 0.6 }
        ground = t.cone { raster = ground, at = { 70, -280 }, radius = 270, height = inputs.hill * 0.3 }
        ground = t.ridge { raster = ground, from = { -250, -190 }, to = { -90, 120 }, radius = 230, height = inputs.hill * 0.16 }
        ground = t.ridge { raster = ground, from = { 40, -250 }, to = { 250, -60 }, radius = 200, height = inputs.hill * 0.14 }
        ground = t.mask { raster = ground, name = "high", input = "height", min = 30, feather = 24 }
        ground = t.fbm { raster = ground, featureSize = 300, amplitude = 22, octaves = 5, gain = 0.42, seed = seed + 1,
                         ridge = true, warp = 40, mask = "high" }
        ground = t.fbm { raster = ground, featureSize = 80, amplitude = 1.1, octaves = 4, gain = 0.4, seed = seed + 2 }

        -- Two steps down to the seabed: a gentle beach, then the deep.
        ground = t.coast { raster = ground, at = { 0, -40 }, radius = 460, falloff = 145, seabed = -3.5 }
        ground = t.coast { raster = ground, at = { 0, -40 }, radius = 610, falloff = 330, seabed = -30 }

        -- Headlands with coves between them, and a shore broken by what the sea has taken.
        ground = t.ridge { raster = ground, from = { 360, 250 }, to = { 560, 420 }, radius = 185, height = 9 }
        ground = t.ridge { raster = ground, from = { -320, 300 }, to = { -285, 560 }, radius = 150, height = 9 }
        ground = t.ridge { raster = ground, from = { -360, -260 }, to = { -520, -340 }, radius = 210, height = 11 }
        ground = t.ridge { raster = ground, from = { 360, -330 }, to = { 540, -320 }, radius = 170, height = 12 }
        ground = t.cone { raster = ground, at = { -560, 40 }, radius = 230, height = -12 }
        ground = t.cone { raster = ground, at = { 560, -70 }, radius = 210, height = -11 }
        ground = t.cone { raster = ground, at = { 30, -600 }, radius = 200, height = -9 }
        ground = t.cone { raster = ground, at = { -90, 600 }, radius = 170, height = -5 }
        ground = t.mask { raster = ground, name = "shore", input = "height", min = -9, max = 4, feather = 4 }
        ground = t.fbm { raster = ground, featureSize = 190, amplitude = 3, octaves = 5, seed = seed + 3, warp = 40, mask = "shore" }

        -- The cottage's level site and the brook's bed.
        ground = t.flatten { raster = ground, at = { -4, 338 }, radius = 46, falloff = 70, height = 4.6 }
        if inputs.brook then
            ground = t.project { raster = ground, points = inputs.brook, width = 1.2, falloff = 11, fromHeight = 9.5,
                                 toHeight = -0.6, blend = "min" }
        end
        ground = t.project { raster = ground, points = smooth(walkway), width = 1.4, falloff = 8, useCurveHeight = true }

        -- Where the scatter may dress the ground.
        ground = t.ramp { raster = ground, from = { -112, 400 }, to = { 96, 400 }, fromHeight = 1, toHeight = 1,
                          radius = 112, falloff = 0, layer = "dressedArea" }
        ground = t.mask { raster = ground, name = "sand", input = "height", max = 2.6, feather = 0.4 }
        ground = t.sea { raster = ground, level = sea_level }
        return { ground = ground }
    end,
}
