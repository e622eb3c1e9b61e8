import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

const core = (plural: string) => ({ group: '', version: 'v1', plural });
const priorityClasses = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' };
const runtimeClasses = { group: 'node.k8s.io', version: 'v1', plural: 'runtimeclasses' };

let server: ApiServer;
const create = (resource: typeof priorityClasses, body: JsonObject, namespace?: string) =>
  server.execute({ verb: 'create', resource, body, ...(namespace !== undefined && { namespace }) });
const pod = (name: string, spec: JsonObject) =>
  create(
    core('pods'),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'app:1' }], ...spec },
    },
    'default',
  );

beforeEach(() => {
  server = new ApiServer({ clock: systemClock, random: Math.random, completes: true });
  create(core('serviceaccounts'), { metadata: { name: 'default' } }, 'default');
});

describe('a claim', () => {
  const storageClasses = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' };
  const spec = (storageClassName: string, storage: string) => ({
    ...{ storageClassName, accessModes: ['ReadWriteOnce'] },
    resources: { requests: { storage } },
  });
  const address = { resource: core('persistentvolumeclaims'), namespace: 'default', name: 'data' };
  const grown = (storage: string) => server.execute({ verb: 'patch', patchType: 'merge', ...address, body: { spec: { resources: { requests: { storage } } } } }); // prettier-ignore

  it.each([
    [true, 200],
    [false, 403],
  ])('grows where its class allows it: %s', (allowVolumeExpansion, status) => {
    create(storageClasses, { metadata: { name: 'disks' }, provisioner: 'example.com/disks', allowVolumeExpansion });
    create(core('persistentvolumeclaims'), { metadata: { name: 'data' }, spec: spec('disks', '1Gi') }, 'default');
    const bound = { status: { phase: 'Bound' } };
    server.execute({ verb: 'patch', patchType: 'merge', ...address, subresource: 'status', body: bound });
    // The same amount in other words is no growth.
    expect(grown('1024Mi').status).toBe(200);
    const reply = grown('2Gi');
    expect(reply.status).toBe(status);
    if (status === 403)
      expect(reply.body).toMatchObject({
        message:
          'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      });
  });
});

describe('a pod', () => {
  it('has the priority of its class, of the default class, or none', () => {
    create(priorityClasses, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' });
    expect(pod('a', { priorityClassName: 'high' }).body).toMatchObject({
      spec: { priority: 1000, preemptionPolicy: 'Never' },
    });
    expect(pod('b', { priorityClassName: 'system-node-critical' }).body).toMatchObject({
      spec: { priority: 2_000_001_000 },
    });
    expect(pod('c', {}).body).toMatchObject({ spec: { priority: 0 } });
    create(priorityClasses, { metadata: { name: 'usual' }, value: 7, globalDefault: true });
    expect(pod('d', {}).body).toMatchObject({ spec: { priorityClassName: 'usual', priority: 7 } });
    expect(create(priorityClasses, { metadata: { name: 'more' }, value: 8, globalDefault: true }).status).toBe(403);
  });

  it('is refused where its class does not exist, or says another priority', () => {
    expect(pod('a', { priorityClassName: 'none' }).body).toMatchObject({
      message: 'pods "a" is forbidden: no PriorityClass with name none was found',
    });
    expect(pod('a', { priority: 5 }).status).toBe(403);
    expect(pod('a', { runtimeClassName: 'none' }).body).toMatchObject({
      message: 'pods "a" is forbidden: pod rejected: RuntimeClass "none" not found',
    });
    expect(pod('a', { serviceAccountName: 'none' }).status).toBe(403);
  });

  it('has the overhead, nodes and tolerations of its runtime class', () => {
    const toleration = { key: 'sandbox', operator: 'Exists' };
    create(runtimeClasses, {
      metadata: { name: 'sandbox' },
      handler: 'sandbox',
      overhead: { podFixed: { cpu: '10m' } },
      scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [toleration] },
    });
    expect(pod('a', { runtimeClassName: 'sandbox', nodeSelector: { disk: 'ssd' } }).body).toMatchObject({
      spec: {
        overhead: { cpu: '10m' },
        nodeSelector: { disk: 'ssd', sandbox: 'yes' },
        tolerations: [{ effect: 'NoExecute' }, { effect: 'NoExecute' }, toleration],
      },
    });
    expect(pod('b', { runtimeClassName: 'sandbox', overhead: { cpu: '1' } }).status).toBe(403);
    expect(pod('c', { runtimeClassName: 'sandbox', nodeSelector: { sandbox: 'no' } }).status).toBe(403);
    expect(pod('d', { overhead: { cpu: '1' } }).status).toBe(403);
  });

  it('has sysctls of valid names', () => {
    const sysctls = ['kernel.shm', 'net/ipv4', 'bad-', '', 'kernel.shm'].map((name) => ({ name, value: '1' }));
    const { body } = pod('a', { securityContext: { sysctls } });
    expect((body as { details: { causes: { field: string }[] } }).details.causes.map(({ field }) => field)).toEqual(
      [2, 3, 4].map((index) => `spec.securityContext.sysctls[${index}].name`),
    );
  });
});

it('keeps the value of a priority class as it is', () => {
  create(priorityClasses, { metadata: { name: 'high' }, value: 1000 });
  const change = (body: JsonObject) =>
    server.execute({ verb: 'patch', patchType: 'merge', resource: priorityClasses, name: 'high', body });
  expect(change({ value: 1001 }).body).toMatchObject({ details: { causes: [{ field: 'value' }] } });
  expect(change({ preemptionPolicy: 'Never' }).status).toBe(422);
  expect(change({ description: 'said' }).status).toBe(200);
});

it('names IP addresses as they are written shortest', () => {
  const addresses = { group: 'networking.k8s.io', version: 'v1', plural: 'ipaddresses' };
  const statusOf = (name: string): number =>
    create(addresses, { metadata: { name }, spec: { parentRef: { resource: 'services', name: 'a' } } }).status;
  expect(['2001:db8::1', '10.0.0.1', '2001:DB8::1', '2001:db8:0::1', '10.0.0'].map(statusOf)).toEqual([
    201, 201, 422, 422, 422,
  ]);
});
