import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { Version } from '../upgrade/version.ts';
import type { PodTemplate } from './template.ts';
import { revisionsOf, whatRan } from './template.ts';

const templateOf = (image: string): PodTemplate => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'app', image }] },
});

const version = (revision: string, image: string): Version<PodTemplate> => ({
  ...{ template: templateOf(image), revision, image },
});

/** A StatefulSet of this template, which says this hash. */
const statefulSet = (revision: string, image: string, change: object = {}): StatefulSet =>
  ({
    metadata: { name: 'db', uid: 's', generation: 2, annotations: { 'ordinal.dev/template-hash': revision } },
    spec: { replicas: 2, template: templateOf(image) },
    status: { observedGeneration: 2, updateRevision: 'db-2', ...change },
  }) as unknown as StatefulSet; // All that is read of it.

const set = (revisions: object[] = []): MonitoredStatefulSet =>
  ({ status: { revisions } }) as unknown as MonitoredStatefulSet; // All that is read of it.

const pod = (name: string, revision: string): Pod =>
  ({
    metadata: {
      name,
      labels: { 'controller-revision-hash': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 's', controller: true }],
    },
  }) as unknown as Pod; // All that is read of it.

const before = [{ name: 'db-1', revision: 'old' }];

test.each<[string, StatefulSet, [string, string][]]>([
  [
    'what its controller has looked at',
    statefulSet('new', 'app:2'),
    [
      ['db-1', 'old'],
      ['db-2', 'new'],
    ],
  ],
  [
    'nothing before its controller has looked at it',
    statefulSet('new', 'app:2', { observedGeneration: 1 }),
    [['db-1', 'old']],
  ],
  ['not what another client has made of it', statefulSet('new', 'app:9'), [['db-1', 'old']]],
  [
    'what it still is, where something else is wanted',
    statefulSet('older', 'app:0'),
    [
      ['db-1', 'old'],
      ['db-2', 'older'],
    ],
  ],
])('a revision of a StatefulSet is known by %s', (_what, present, known) => {
  expect([...revisionsOf(set(before), present, { made: version('new', 'app:2') })]).toEqual(known);
});

test.each<[string, Pod[], object, string | undefined]>([
  ['all of the present template', [pod('db-0', 'db-2'), pod('db-1', 'db-2')], {}, 'new'],
  ['not all of it', [pod('db-0', 'db-1'), pod('db-1', 'db-2')], {}, undefined],
  ['fewer than there should be', [pod('db-0', 'db-2')], {}, undefined],
  [
    'seen before the controller has looked',
    [pod('db-0', 'db-2'), pod('db-1', 'db-2')],
    { observedGeneration: 1 },
    undefined,
  ],
])('what ran is known by members that are %s', (_what, pods, change, revision) => {
  expect(whatRan(statefulSet('new', 'app:2', change), pods)?.currentRevision).toBe(revision);
});
