import { cacheMutations } from './cache/index.ts';
import { externalMutations } from './external/index.ts';
import { kvMutations } from './kv/index.ts';
import type { Mutation } from './mutation.ts';
import { slotMutations } from './slots/index.ts';

/** The two ways in which a mistake can be found: by the search of histories, or by a test of its own. */
export const stages = ['search', 'tests'] as const;

/** One of them. */
export type Stage = (typeof stages)[number];

/** Kinds of resources whose mistakes are found by the same tests. */
export interface MutatedKind {
  readonly kind: string;
  readonly mutations: readonly Mutation[];
  /** What is run of each project, in this order. */
  readonly tests: Readonly<Record<Stage, readonly ProjectTests[]>>;
}

/** Tests of one project: the arguments that vitest gets in its folder. */
export interface ProjectTests {
  readonly folder: string;
  readonly patterns: readonly string[];
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

/** What is run of libs/lifecycle: it comes first. */
const lifecycle = (names: readonly string[]): ProjectTests => ({
  folder: 'libs/lifecycle',
  patterns: names.map((name) => `src/${name}/`),
});

const inFolder = (folder: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `test/${folder}/${name}`);

/** Every kind that has mutations. */
export const mutatedKinds: readonly MutatedKind[] = [
  {
    kind: 'cache',
    mutations: cacheMutations,
    tests: {
      search: [{ folder: 'verification/search', patterns: ['clustered-cache/explore'] }],
      tests: [
        lifecycle(shared),
        { folder: 'libs/reconcilers', patterns: ['src/clustered-cache', 'src/upgrade/', 'test/clustered-cache/'] },
        { folder: 'verification/search', patterns: ['clustered-cache/'] },
      ],
    },
  },
  {
    kind: 'kv',
    mutations: kvMutations,
    tests: {
      search: [{ folder: 'verification/search', patterns: ['kv-store-cluster/explore'] }],
      tests: [
        lifecycle([...shared, 'partition']),
        { folder: 'libs/reconcilers', patterns: ['src/kv-store-cluster', 'test/kv-store-cluster/'] },
        { folder: 'verification/search', patterns: ['kv-store-cluster/'] },
      ],
    },
  },
  {
    kind: 'external',
    mutations: externalMutations,
    tests: {
      search: [
        {
          folder: 'verification/search',
          patterns: ['external/refusals', 'external/database-histories', 'external/set-histories'],
        },
      ],
      tests: [
        lifecycle(['decision', 'task', 'clean-up', 'external-resource', 'seal']),
        {
          folder: 'libs/reconcilers',
          patterns: [
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
      ],
    },
  },
  {
    // No kind of resource: how the replicas of an operator share any.
    kind: 'slots',
    mutations: slotMutations,
    tests: {
      search: [{ folder: 'libs/simulator', patterns: ['test/slots'] }],
      tests: [{ folder: 'libs/runtime', patterns: ['src/leadership/', 'src/controller/'] }],
    },
  },
];
