import { readdirSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = dirname(fileURLToPath(import.meta.url));

/** Rooms of src/ in dependency order (docs/architecture.md): a room imports only from rooms before it. */
const rooms = [
  'checkpoint',
  'telemetry',
  'xet',
  'native',
  'store',
  'catalog',
  'package',
  'graph',
  'restore',
  'search',
  'evaluate',
  'compress',
  'jobs',
  'ingest',
  'upkeep',
  'hub',
  'webhooks',
  'access',
  'http',
  'process',
  'cli',
];
/** Rooms that do not know each other although their order would allow it. */
const strangers = [['catalog', 'store']];
/** Outside the rooms, but any of them may ask where the program's files lie. */
const forAllRooms = resolve(root, 'src', 'program-files.ts');

const unknownRooms = readdirSync(resolve(root, 'src'), { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !rooms.includes(entry.name),
);
if (unknownRooms.length > 0) throw new Error(`src/${unknownRooms[0].name} is not on the map of rooms`);

function roomOf(file) {
  const parts = relative(resolve(root, 'src'), file).split(sep);
  return parts[0] === '..' || parts.length < 2 ? undefined : parts[0];
}

const importDirection = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const from = roomOf(context.filename);
    const inTest = /\.(test|suite)\.tsx?$/.test(context.filename);
    // What tests stand on may use what all tests share.
    const inSupport = /\.test-support\.tsx?$/.test(context.filename);
    function check(node) {
      const source = node.source?.value;
      if (from === undefined || inTest || typeof source !== 'string' || !source.startsWith('.')) return;
      const target = resolve(dirname(context.filename), source);
      const to = roomOf(target);
      if (to === from || target === forAllRooms) return;
      if (inSupport && target.startsWith(resolve(root, 'test') + sep)) return;
      if (to === undefined) {
        if (from !== 'cli' && from !== 'process')
          context.report({
            node,
            message: `Room ${from} may not import ${relative(root, target)}: only process and cli know the wiring.`,
          });
        return;
      }
      const stranger = strangers.some((pair) => pair.includes(from) && pair.includes(to));
      if (rooms.indexOf(to) > rooms.indexOf(from) || stranger)
        context.report({ node, message: `Room ${from} may not import from room ${to} (docs/architecture.md).` });
    }
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

// Rules that need types are in .oxlintrc.json: `npm run types`.
export default tseslint.config(
  {
    ignores: [
      'build/',
      'dist/',
      'node_modules/',
      'data/',
      'src/graph/onnx/onnx_pb.ts',
      'clients/typescript/src/firn-api.ts',
      'openapi/*.d.ts',
      'coverage/',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { firn: { rules: { 'import-direction': importDirection } } },
    rules: {
      'firn/import-direction': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only main.ts reads the environment.',
        },
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/main.ts', 'src/cli/**', 'test/**', 'bench/**', 'scripts/**', '**/*.test.ts', 'src/evaluate/**'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['test/acceptance/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/src/**'], message: 'Acceptance tests know a URL and nothing of the sources.' }] },
      ],
    },
  },
  { files: ['**/*.test.ts', '**/*.suite.ts'], rules: { 'max-lines': 'off' } },
  // Prettier leaves long strings, templates and patterns alone. Other languages: test/documents/columns.test.ts.
  { rules: { 'max-len': ['error', { code: 120, ignoreUrls: true }] } },
);
