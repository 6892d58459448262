import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const inTests = /\.(test|suite|bench|test-support)\.tsx?$/;
const modules = readdirSync(src, { recursive: true })
  .map(String)
  .filter((path) => /\.tsx?$/.test(path) && !inTests.test(path));

/** Modules of src/ that a module imports, types included; paths from src/. */
function importsOf(module: string): string[] {
  const path = join(src, module);
  return ts
    .preProcessFile(readFileSync(path, 'utf8'), true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => relative(src, join(dirname(path), fileName)))
    .filter((imported) => modules.includes(imported));
}

const imports = new Map(modules.map((module) => [module, importsOf(module)]));

/** One circle of a graph, from a node back to itself; empty without one. */
function circleIn(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): string[] => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next, [...way, node]);
      if (circle.length > 0) return circle;
    }
    done.add(node);
    return [];
  };
  for (const node of edges.keys()) {
    const circle = visit(node, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test('a circle is found, with the nodes along it', () => {
  const edges = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', ['d']],
  ]);
  expect(circleIn(edges)).toEqual([]);
  expect(circleIn(new Map([...edges, ['d', ['b']]]))).toEqual(['b', 'c', 'd', 'b']);
});

test('every import of a module is understood', () => {
  expect(importsOf(join('http', 'app.ts')).length).toBeGreaterThan(20);
  expect(modules.length).toBeGreaterThan(400);
});

test('no module imports itself by a detour, not even for a type', () => {
  expect(circleIn(imports)).toEqual([]);
});

test.each(['compress', 'hub'])('the rooms within %s/ import each other in one direction', (house) => {
  // Files directly in the folder are the story, which uses all rooms, and the types of it, which all rooms may use.
  const roomOf = (module: string): string | undefined =>
    module.startsWith(`${house}${sep}`) ? module.split(sep)[1] : undefined;
  const rooms = new Map<string, Set<string>>();
  for (const [module, imported] of imports) {
    const from = roomOf(module);
    if (from === undefined || from.endsWith('.ts')) continue;
    const to = imported.map(roomOf).filter((room) => room !== undefined && room !== from && !room.endsWith('.ts'));
    rooms.set(from, new Set([...(rooms.get(from) ?? []), ...(to as string[])]));
  }
  expect(rooms.size).toBeGreaterThan(3);
  expect(circleIn(rooms)).toEqual([]);
});

test('no folder holds more modules than a reader takes in at once', () => {
  const counts = new Map<string, number>();
  for (const module of modules) counts.set(dirname(module), (counts.get(dirname(module)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 16)).toEqual([]);
});
