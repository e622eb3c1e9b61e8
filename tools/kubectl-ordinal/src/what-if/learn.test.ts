import type { KubernetesObject } from '@ordinal/client';
import { expect, test } from 'vitest';
import { brokenImages, learn } from './learn.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
const metadata = (name: string, uid: string) => ({ name, uid, resourceVersion: '1', creationTimestamp: at(0) });
const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: metadata('web', 'set') };
const owned = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', controller: true }],
};

interface State {
  readonly startedAt?: number;
  readonly readyAt?: number;
  readonly restarts?: number;
  readonly waiting?: string;
  readonly image?: string;
}

function pod(name: string, { startedAt, readyAt, restarts = 0, waiting, image = 'web:1' }: State): KubernetesObject {
  const state = {
    ...(startedAt !== undefined && { running: { startedAt: at(startedAt) } }),
    ...(waiting !== undefined && { waiting: { reason: waiting } }),
  };
  const ready = readyAt !== undefined;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata(name, name), ...owned } },
    ...{ spec: { containers: [{ name: 'main', image }] } },
    status: {
      startTime: at(0),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at(readyAt ?? 0) }],
      containerStatuses: [{ name: 'main', ready, restartCount: restarts, state }],
    },
  } as KubernetesObject;
}

test('the middle of what pods show, from the start of their containers to ready', () => {
  const pods = [
    pod('web-0', { startedAt: 3, readyAt: 15 }),
    pod('web-1', { startedAt: 4, readyAt: 13 }),
    // It was not ready for a while, days later: that is not how long it takes.
    pod('web-2', { startedAt: 3, readyAt: 300_000 }),
  ];
  expect(learn([set, ...pods])).toEqual([
    { set: 'web', pods: 3, startsAfter: 3_000, readyAfter: 12_000, range: [9_000, 299_997_000] },
  ]);
});

test('pods that were restarted, or are not ready, show nothing', () => {
  const pods = [pod('web-0', { startedAt: 3, readyAt: 9, restarts: 1 }), pod('web-1', { startedAt: 3 })];
  expect(learn([set, ...pods])).toMatchObject([{ pods: 0, readyAfter: 10_000 }]);
});

test('an image is broken where pods wait for it and none runs it', () => {
  const pods = [
    pod('web-0', { startedAt: 3, readyAt: 9 }),
    pod('web-1', { waiting: 'CrashLoopBackOff' }),
    pod('web-2', { waiting: 'ImagePullBackOff', image: 'web:2' }),
    pod('web-3', { waiting: 'CrashLoopBackOff', image: 'web:3' }),
    pod('web-4', { waiting: 'ContainerCreating', image: 'web:4' }),
  ];
  expect([...brokenImages(pods)]).toEqual([
    ['web:2', 'pull'],
    ['web:3', 'start'],
  ]);
});
