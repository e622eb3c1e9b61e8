import type { Case, Json } from '../case.ts';
import { job } from './objects.ts';

const path = '/apis/batch/v1/namespaces/:ns/jobs';
const indexed = (spec: Json): Json => job('a', { completionMode: 'Indexed', completions: 3, ...spec });
const policy = (...rules: readonly Json[]): Json => ({ podFailurePolicy: { rules } });
const success = (...rules: readonly Json[]): Json => ({ successPolicy: { rules } });
const codes = (values: readonly number[], more: Json = {}): Json => ({
  action: 'Count',
  onExitCodes: { operator: 'In', values, ...more },
});

/** What is asked of a Job's spec. */
export const jobCases: readonly Case[] = [
  {
    name: 'jobs: modes and limits that are refused',
    async body(s) {
      await s.create(path, job('a', { completionMode: 'Sorted' }));
      await s.create(path, job('a', { completionMode: 'Indexed', parallelism: 1 }));
      await s.create(path, job('a', { backoffLimitPerIndex: 1, maxFailedIndexes: 1 }));
      await s.create(path, indexed({ maxFailedIndexes: 1 }));
      await s.create(path, indexed({ backoffLimitPerIndex: -1, maxFailedIndexes: 4 }));
      await s.create(path, indexed({ parallelism: 100001 }));
      await s.create(path, indexed({ completions: 100001, parallelism: 10001, backoffLimitPerIndex: 1 }));
      await s.create(
        path,
        indexed({ completions: 200000, parallelism: 1, backoffLimitPerIndex: 1, maxFailedIndexes: 100001 }),
      );
      await s.create(path, { ...indexed({}), metadata: { name: `a${'b'.repeat(62)}` } });
      await s.create(path, job('a', { podReplacementPolicy: 'Never' }));
      await s.create(path, job('a', { podReplacementPolicy: 'TerminatingOrFailed', ...policy(codes([1])) }));
    },
  },
  {
    name: 'jobs: policies for failed pods that are refused',
    async body(s) {
      const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }];
      await s.create(path, job('a', policy(codes([0, 2, 2, 1], { containerName: 'none' }))));
      await s.create(path, job('a', policy(codes([]))));
      await s.create(path, job('a', policy(codes([1], { operator: 'Above' }))));
      await s.create(path, job('a', policy({ action: 'FailIndex', onPodConditions })));
      await s.create(path, job('a', policy({ action: 'Wait', onPodConditions })));
      await s.create(path, job('a', policy({ action: 'Ignore' })));
      await s.create(path, job('a', policy({ ...codes([1]), onPodConditions })));
      await s.create(
        path,
        job('a', policy({ action: 'Count', onPodConditions: [{ type: 'a b', status: 'Perhaps' }] })),
      );
      await s.create(path, job('a', policy(...Array.from({ length: 21 }, () => codes([1])))));
      const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'task:1' }] } };
      await s.create(path, job('a', { ...policy(codes([1])), template }));
    },
  },
  {
    name: 'jobs: success policies that are refused',
    async body(s) {
      await s.create(path, indexed(success()));
      await s.create(path, indexed(success({})));
      for (const succeededIndexes of ['0-2-3', 'a', '3', '0-3', '2-1', '1,1', '0,,2', '-1'])
        await s.create(path, indexed(success({ succeededIndexes })));
      await s.create(path, indexed(success({ succeededCount: 4 }, { succeededCount: -1 })));
      await s.create(path, indexed(success({ succeededIndexes: '0,2', succeededCount: 3 })));
      await s.create(path, indexed(success(...Array.from({ length: 21 }, () => ({ succeededCount: 1 })))));
    },
  },
  {
    name: 'jobs: managers that are refused, and what can not be changed',
    async body(s) {
      for (const managedBy of ['', 'mine', '/mine', 'mine/', 'Upper/mine', 'example.com/a b', `a/${'b'.repeat(63)}`])
        await s.create(path, job('a', { managedBy }));
      // Nothing else writes to a Job that another controller manages.
      await s.create(path, indexed({ suspend: true, parallelism: 3, managedBy: 'example.com/mine' }));
      await s.merge(`${path}/a`, { spec: { managedBy: 'example.com/other' } });
      await s.merge(`${path}/a`, { spec: { managedBy: null } });
      await s.merge(`${path}/a`, { spec: { backoffLimitPerIndex: 1 } });
      await s.merge(`${path}/a`, { spec: { completionMode: 'NonIndexed' } });
      await s.merge(`${path}/a`, { spec: { completions: 4 } });
      await s.merge(`${path}/a`, { spec: { completions: 4, parallelism: 4 } });
      await s.create(path, job('b', { suspend: true, managedBy: 'example.com/mine' }));
      await s.merge(`${path}/b`, { spec: { completions: 2, parallelism: 2 } });
    },
  },
];
