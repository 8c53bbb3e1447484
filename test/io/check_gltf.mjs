// check_gltf.mjs NODE_MODULES FILE.glb [EXPECTED.json]: the Khronos validator finds no error and no warning in the file, and
// three.js loads it and sees what the expected numbers say: how many meshes, nodes, instances and triangles, and where
// things stand in the world. Prints what differs; exit status 0 when nothing does.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [modules, file, expectedFile] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const problems = [];
const bytes = readFileSync(file);

const validator = require('gltf-validator');
const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 0 });
if (report.issues.numErrors > 0 || report.issues.numWarnings > 0) {
    for (const message of report.issues.messages.filter((m) => m.severity < 2).slice(0, 20)) {
        problems.push(`validator: ${message.code} at ${message.pointer}: ${message.message}`);
    }
}

const three = await import(pathToFileURL(join(modules, 'three/build/three.module.js')));
const { GLTFLoader } = await import(pathToFileURL(join(modules, 'three/examples/jsm/loaders/GLTFLoader.js')));
globalThis.self = globalThis;
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new Promise((done, failed) => new GLTFLoader().parse(buffer, '', done, failed));
gltf.scene.updateMatrixWorld(true);

const found = { meshes: 0, instanced: 0, instances: 0, triangles: 0, lights: 0, cameras: 0 };
const geometries = new Set();
const byName = new Map();
const groups = new Map();
gltf.scene.traverse((object) => {
    const name = object.name; // as three.js writes names: without brackets and points
    if (!byName.has(name)) {
        byName.set(name, object);
    }
    if (object.isMesh) {
        found.meshes++;
        geometries.add(object.geometry);
        const copies = object.isInstancedMesh ? object.count : 1;
        found.instances += object.isInstancedMesh ? copies : 0;
        found.instanced += object.isInstancedMesh ? 1 : 0;
        found.triangles += (object.geometry.index.count / 3) * copies;
        const { kind, variant } = object.userData;
        if (object.isInstancedMesh) {
            const key = `${kind}/${variant}`;
            groups.set(key, [...(groups.get(key) ?? []), object]);
        }
        for (const attribute of Object.values(object.geometry.attributes)) {
            if (!attribute.array.every(Number.isFinite)) {
                problems.push(`${name}: an attribute that is not finite`);
            }
        }
    }
    found.lights += object.isDirectionalLight ? 1 : 0;
    found.cameras += object.isPerspectiveCamera ? 1 : 0;
});
found.geometries = geometries.size;

function compareMatrix(what, matrix, expected) {
    for (let i = 0; i < 16; i++) {
        const scale = Math.max(1, Math.abs(expected[i]));
        if (!(Math.abs(matrix.elements[i] - expected[i]) <= 2e-6 * scale)) {
            problems.push(`${what}: matrix [${matrix.elements}] is not [${expected}]`);
            return;
        }
    }
}

if (expectedFile) {
    const expected = JSON.parse(readFileSync(expectedFile, 'utf8'));
    for (const [key, value] of Object.entries(expected.counts ?? {})) {
        if (found[key] !== value) {
            problems.push(`${key}: three.js sees ${found[key]}, ${value} were written`);
        }
    }
    for (const { name, matrix } of expected.nodes ?? []) {
        const object = byName.get(three.PropertyBinding.sanitizeNodeName(name));
        if (!object) {
            problems.push(`node ${name} is not there`);
        } else {
            compareMatrix(name, object.matrixWorld, matrix);
        }
    }
    for (const { kind, variant, piece, count, items } of expected.groups ?? []) {
        const object = groups.get(`${kind}/${variant}`)?.[piece];
        if (!object || object.count !== count) {
            problems.push(`group ${kind}/${variant} piece ${piece}: ${object?.count} instances, ${count} were written`);
            continue;
        }
        for (const { at, matrix } of items) {
            const own = new three.Matrix4();
            object.getMatrixAt(at, own);
            compareMatrix(`group ${kind}/${variant} item ${at}`, own.premultiply(object.matrixWorld), matrix);
        }
    }
}

for (const problem of problems.slice(0, 20)) {
    console.log(problem);
}
process.exit(problems.length > 0 ? 1 : 0);
