import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import jsdoc from 'eslint-plugin-jsdoc';
import prettier from 'eslint-config-prettier';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { arrows } from './tools/workspace/arrows.js';
import { pathsInto, programs } from './tools/workspace/programs.js';

/** What may be imported: by name, the projects with the tag of one that an arrow leads to; by path, what `paths` match. */
const boundaries = (arrows, paths = []) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    banTransitiveDependencies: false,
    allow: ['^.*/vitest\\.shared\\.ts$', '^.*/eslint\\.config\\.js$', ...paths],
    depConstraints: Object.entries(arrows).map(([from, to]) => ({
      sourceTag: `type:${from}`,
      onlyDependOnLibsWithTags: to.map((name) => `type:${name.replace('@ordinal/', '')}`),
    })),
  },
];

export default tseslint.config(
  { ignores: ['**/dist/', '**/generated/', '**/node_modules/', '**/fixtures/', '.nx/', 'coverage/', 'tools/cluster/'] },
  js.configs.recommended,
  tseslint.configs.strict,
  tseslint.configs.stylistic,
  {
    files: ['**/*.ts', '**/*.js', '**/*.mjs'],
    languageOptions: { globals: globals.node, ecmaVersion: 2024, sourceType: 'module' },
    plugins: { '@nx': nx, jsdoc },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(arrows),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-console': 'error',
      'max-params': 'off',
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      complexity: ['error', 20],
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          require: {
            FunctionDeclaration: true,
            ClassDeclaration: true,
            MethodDefinition: true,
            ArrowFunctionExpression: true,
          },
          contexts: ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'VariableDeclaration'],
          checkConstructors: false,
        },
      ],
    },
  },
  {
    files: [
      'libs/{schema,client,runtime,lifecycle,api,constructs,recipes,reconcilers,simulator,explorer,control-plane}/src/**/*.ts',
    ],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'The environment is read once, in the operator’s main: pass it in.',
        },
        { object: 'process', property: 'exit', message: 'Only a program’s main ends the process.' },
        {
          object: 'AbortSignal',
          property: 'any',
          message: 'Node keeps it, and all that listens to it, as long as its sources live: use joinSignals.',
        },
      ],
    },
  },
  {
    files: [
      '**/*.test.ts',
      '**/test/**/*.ts',
      '**/conformance/mutations/*.ts',
      'examples/**',
      'bench/**',
      '**/vitest.config.ts',
      '**/bundle.ts',
      'vitest.shared.ts',
      'tools/workspace/**',
      'tools/e2e/**',
      'verification/**',
    ],
    rules: {
      'jsdoc/require-jsdoc': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Packages' tests read from more than what is shipped; that it is declared, so that Nx knows of it, is a test of its own.
    files: [
      '**/*.test.ts',
      '**/test/**/*.ts',
      '**/conformance/mutations/*.ts',
      '**/vitest.config.ts',
      '**/bundle.ts',
      'vitest.shared.ts',
    ],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['libs/simulator/conformance/*.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(arrows, [pathsInto('flags')]) },
  },
  ...programs.map(({ name, folder, dependencies }) => ({
    files: [`${folder}/**`],
    rules: { '@nx/enforce-module-boundaries': boundaries({ [name]: dependencies }, dependencies.map(pathsInto)) },
  })),
  prettier,
);
