import type { JobInput } from '@ordinal/client';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { contentOf } from './job-content.ts';

type Spec = NonNullable<JobInput['spec']>;

const container = { name: 'task', image: 'backup:1', command: ['backup'], env: [{ name: 'A', value: '1' }] };
const running = { restartPolicy: 'Never', containers: [container] };
const wanted: Spec = { backoffLimit: 0, activeDeadlineSeconds: 600, template: { spec: running } };

/** The same with other fields of the pod, and of the Job. */
const other = (pod: object, job: object = {}): Spec =>
  ({ ...wanted, ...job, template: { spec: { ...running, ...pod } } }) as Spec; // Fields of the API.

const contentFor = (spec: Spec): string => canonicalJson(contentOf({ spec }));

/** The spec above with the fields that Kubernetes' documented defaults and the Job controller add. */
const served: Spec = {
  ...{ parallelism: 1, completions: 1, activeDeadlineSeconds: 600, backoffLimit: 0, completionMode: 'NonIndexed' },
  ...{ suspend: false, podReplacementPolicy: 'TerminatingOrFailed', manualSelector: false },
  selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } },
  template: {
    metadata: { labels: { 'batch.kubernetes.io/controller-uid': 'u1', 'batch.kubernetes.io/job-name': 'one' } },
    spec: {
      containers: [
        {
          ...container,
          ...{ resources: {}, imagePullPolicy: 'IfNotPresent' },
          ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
        },
      ],
      ...{ restartPolicy: 'Never', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst' },
      ...{ securityContext: {}, schedulerName: 'default-scheduler' },
    },
  },
};

test('a Job has the same content as it is made, and as the API server shows it', () => {
  expect(contentFor(served)).toBe(contentFor(wanted));
});

test.each([
  ['suspended', { suspend: true }],
  ['of another deadline', { activeDeadlineSeconds: 60 }],
  ['that runs no pods', { parallelism: 0 }],
  ['that is cleaned away earlier', { ttlSecondsAfterFinished: 1 }],
  ['tried more often', { backoffLimit: 6 }],
])('and one that is %s', (_what, job) => {
  expect(contentFor(other({}, job))).toBe(contentFor(wanted));
});

test.each([
  ['another node', { nodeSelector: { zone: 'b' }, tolerations: [{ operator: 'Exists' }] }],
  ['other resources', { containers: [{ ...container, resources: { limits: { cpu: '2' } } }] }],
  ['another pull policy', { containers: [{ ...container, imagePullPolicy: 'Always' }] }],
])('and one for %s', (_what, pod) => {
  expect(contentFor(other(pod))).toBe(contentFor(wanted));
});

test.each([
  ['another image', { containers: [{ ...container, image: 'forged:1' }] }],
  ['another command', { containers: [{ ...container, command: ['true'] }] }],
  ['another variable', { containers: [{ ...container, env: [{ name: 'A', value: '2' }] }] }],
  ['one variable less', { containers: [{ ...container, env: [] }] }],
  ['another container beside', { containers: [container, { ...container, name: 'beside' }] }],
  ['a container before', { initContainers: [container] }],
  ['a volume', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }],
  ['another service account', { serviceAccountName: 'admin' }],
  ['the network of its node', { hostNetwork: true }],
  ['a privilege', { containers: [{ ...container, securityContext: { privileged: true } }] }],
  ['another runtime', { runtimeClassName: 'other' }],
  ['a field of later versions', { laterField: 1 }],
])('a Job with %s has another content', (_what, pod) => {
  expect(contentFor(other(pod))).not.toBe(contentFor(wanted));
});

test.each([
  ['that succeeds by a rule of its own', { successPolicy: { rules: [{ succeededCount: 1 }] } }],
  ['whose failures do not count', { podFailurePolicy: { rules: [] as unknown[], other: 1 } }],
  ['that is done several times', { completions: 2 }],
  ['of another controller, which writes its status', { managedBy: 'example.com/forger' }],
  ['that counts the pods of others', { manualSelector: true, selector: { matchLabels: { app: 'other' } } }],
])('a Job %s has another content', (_what, job) => {
  expect(contentFor(other({}, job))).not.toBe(contentFor(wanted));
});
