import type { Job } from '@ordinal/client';
import { expect, test } from 'vitest';
import { timestamp } from '../decision/index.ts';
import { jobState } from './task.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

const ended = (type: string, at: number): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'a-backup',
    namespace: 'shop',
    uid: 'job-1',
    resourceVersion: '1',
    creationTimestamp: '2025-12-31T23:00:00Z',
  },
  spec: { template: { spec: { containers: [{ name: 'backup', image: 'backup:1' }] } } },
  status: { conditions: [{ type, status: 'True', lastTransitionTime: timestamp(at) }] },
});

test.each(['Complete', 'Failed'])('a Job that is %s has ended when its condition says', (type) => {
  expect(jobState(ended(type, now - 5_000), now)).toMatchObject({ at: now - 5_000 });
});

test.each(['Complete', 'Failed'])(
  'a Job that is %s has not ended later than now, whatever its condition says',
  (type) => {
    expect(jobState(ended(type, now + 365 * 86_400_000), now)).toMatchObject({ at: now });
  },
);
