import type { Pod, StatefulSet } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { SeenSet } from './index.ts';
import { membersOfSet } from './index.ts';

const templateHashAnnotation = 'example.com/template-hash';

const template = (image: string): NonNullable<StatefulSet['spec']>['template'] => ({
  metadata: { annotations: { [templateHashAnnotation]: 'ours' } },
  spec: { containers: [{ name: 'cache', image }] },
});

const set = (image: string, status: NonNullable<StatefulSet['status']>, generation = 4): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default', uid: 'set', resourceVersion: '1', creationTimestamp: '', generation },
  spec: { serviceName: 'web', selector: {}, template: template(image) },
  status,
});

const pod = (ordinal: number, made: string | undefined): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `web-${ordinal}`,
    namespace: 'default',
    uid: `pod-${ordinal}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { [templateHashAnnotation]: 'ours' },
    labels: made === undefined ? {} : { 'controller-revision-hash': made },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', controller: true }],
  },
  spec: { containers: [] },
});

const present = [pod(1, 'web-theirs'), pod(0, 'web-ours')];
const status = { replicas: 2, observedGeneration: 4, updateRevision: 'web-ours', updatedReplicas: 1 };

test.each<[string, Partial<SeenSet>, string[]]>([
  ['made from a template that another client had changed', {}, ['ours', '']],
  ['that say no revision', { pods: [pod(1, undefined), pod(0, 'web-ours')] }, ['ours', 'ours']],
  ['of a set that is not put back yet', { statefulSet: set('theirs', status) }, ['ours', 'ours']],
  ['of a set that its controller has not looked at', { statefulSet: set('ours', status, 5) }, ['ours', 'ours']],
  [
    'that are seen later or earlier than their set',
    { statefulSet: set('ours', { ...status, updatedReplicas: 2 }) },
    ['ours', 'ours'],
  ],
  ['of a template that is not known', { template: undefined }, ['ours', 'ours']],
  ['of no set', { statefulSet: undefined }, []],
])('members %s', (_what, seen, revisions) => {
  const members = membersOfSet({
    ...{ statefulSet: set('ours', status), pods: present, finalizer: '', template: template('ours') },
    revisionAnnotation: templateHashAnnotation,
    ...seen,
  });
  expect(members.map(({ revision }) => revision)).toEqual(revisions);
});
