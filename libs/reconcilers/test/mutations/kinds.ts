import { cacheMutations } from './cache/index.ts';
import { externalMutations } from './external/index.ts';
import { kvMutations } from './kv/index.ts';
import type { Mutation } from './mutation.ts';

/** The two ways in which a mistake can be found: by the search of histories, or by a test of its own. */
export const stages = ['search', 'tests'] as const;

/** One of them. */
export type Stage = (typeof stages)[number];

/** Kinds of resources whose mistakes are found by the same tests. */
export interface MutatedKind {
  readonly kind: string;
  readonly mutations: readonly Mutation[];
  /** The arguments of vitest: what it runs. */
  readonly tests: Readonly<Record<Stage, readonly string[]>>;
  /** The folders of libs/lifecycle whose tests find it too. */
  readonly lifecycle: readonly string[];
}

/** What is no test of its own: the search, and mistakes that tests put in themselves. */
export const notTests: readonly string[] = ['**/explore.test.ts', '**/mutants.test.ts'];

/** What kinds share is tested with each. */
const shared = [
  'rollout',
  'canary',
  'task',
  'decision',
  'health-check',
  'error-management',
  'clean-up',
  'schedule',
  'seal',
];

const inFolder = (folder: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `test/${folder}/${name}`);

/** Every kind that has mutations. */
export const mutatedKinds: readonly MutatedKind[] = [
  {
    kind: 'cache',
    mutations: cacheMutations,
    tests: {
      search: ['test/clustered-cache/explore'],
      tests: ['src/clustered-cache', 'test/clustered-cache/'],
    },
    lifecycle: shared,
  },
  {
    kind: 'kv',
    mutations: kvMutations,
    tests: {
      search: ['test/kv-store-cluster/explore'],
      tests: ['src/kv-store-cluster', 'test/kv-store-cluster/'],
    },
    lifecycle: shared,
  },
  {
    kind: 'external',
    mutations: externalMutations,
    tests: {
      search: ['test/external/', 'test/cloud-database/histories', 'test/monitored-stateful-set/histories'],
      tests: [
        ...['src/cloud-database', 'src/monitored-stateful-set'],
        ...inFolder('cloud-database', [
          'doubts',
          'follow',
          'forged-status',
          'imports',
          'lifecycle',
          'phase',
          'policies',
          'secrets',
          'shards',
          'unreachable',
          'validity',
        ]),
        ...inFolder('monitored-stateful-set', [
          'credentials',
          'failed-clean-up',
          'forged-status',
          'lifecycle',
          'migration',
          'phase',
          'quiet',
          'validity',
        ]),
      ],
    },
    lifecycle: ['decision', 'task', 'clean-up', 'external-resource', 'seal'],
  },
];
