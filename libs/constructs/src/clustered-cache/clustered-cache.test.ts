import { describe, expect, test } from 'vitest';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import { templateHashAnnotation } from '../workload/index.ts';
import type { ClusteredCacheSpecInput } from '@ordinal/api';
import { cachePodTemplate, synthesizeClusteredCache } from './index.ts';

const owner = {
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  name: 'sessions',
  namespace: 'shop',
  uid: 'u',
};
const build = (spec: Partial<ClusteredCacheSpecInput> = {}) => ({
  name: 'sessions',
  namespace: 'shop',
  owner,
  spec: { replicas: 3, image: 'cache:1', ...spec },
});
const hash = (spec: Partial<ClusteredCacheSpecInput>) =>
  cachePodTemplate(build(spec)).metadata?.annotations?.[templateHashAnnotation];

test('a cache has its services, its budget and its members, each owned by it', () => {
  const manifests = synthesizeClusteredCache(build({ port: 6379 }));
  expect(manifests.map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name}`)).toEqual([
    'Service shop/sessions',
    'Service shop/sessions-client',
    'PodDisruptionBudget shop/sessions',
    'StatefulSet shop/sessions',
  ]);
  for (const { metadata } of manifests)
    expect(metadata).toMatchObject({ ownerReferences: [{ uid: 'u', controller: true }] });
});

test('without a port there is no service for clients, and without a budget none', () => {
  const manifests = synthesizeClusteredCache(build({ podDisruptionBudget: { enabled: false } }));
  expect(manifests.map(({ kind }) => kind)).toEqual(['Service', 'StatefulSet']);
});

test('the members of a cache with storage', () => {
  const set = synthesizeClusteredCache(build({ port: 6379, storage: { size: '1Gi' } })).at(
    -1,
  ) as unknown as StatefulSet;
  expect(set.spec).toMatchInlineSnapshot(`
    {
      "podManagementPolicy": "Parallel",
      "replicas": 3,
      "selector": {
        "matchLabels": {
          "app": "sessions",
          "app.kubernetes.io/instance": "sessions",
          "app.kubernetes.io/name": "clustered-cache",
        },
      },
      "serviceName": "sessions",
      "template": {
        "metadata": {
          "annotations": {
            "ordinal.dev/template-hash": "8fb001f5e8",
          },
          "labels": {
            "app": "sessions",
            "app.kubernetes.io/instance": "sessions",
            "app.kubernetes.io/managed-by": "ordinal-operator",
            "app.kubernetes.io/name": "clustered-cache",
          },
        },
        "spec": {
          "containers": [
            {
              "env": [
                {
                  "name": "POD_NAME",
                  "valueFrom": {
                    "fieldRef": {
                      "fieldPath": "metadata.name",
                    },
                  },
                },
              ],
              "image": "cache:1",
              "name": "cache",
              "ports": [
                {
                  "containerPort": 6379,
                  "name": "cache",
                  "protocol": "TCP",
                },
              ],
              "readinessProbe": {
                "periodSeconds": 5,
                "tcpSocket": {
                  "port": "cache",
                },
              },
              "volumeMounts": [
                {
                  "mountPath": "/data",
                  "name": "data",
                },
              ],
            },
          ],
          "terminationGracePeriodSeconds": 30,
        },
      },
      "updateStrategy": {
        "type": "OnDelete",
      },
      "volumeClaimTemplates": [
        {
          "apiVersion": "v1",
          "kind": "PersistentVolumeClaim",
          "metadata": {
            "name": "data",
          },
          "spec": {
            "accessModes": [
              "ReadWriteOnce",
            ],
            "resources": {
              "requests": {
                "storage": "1Gi",
              },
            },
          },
        },
      ],
    }
  `);
});

describe('the hand-off as a preStop hook', () => {
  const preStop = (spec: Partial<ClusteredCacheSpecInput>) =>
    cachePodTemplate(build(spec)).spec?.containers.map(({ name, lifecycle }) => [name, lifecycle?.preStop]);

  test('runs the command in the cache’s container, with time to do so', () => {
    const spec = { upgrade: { handoff: { exec: { command: ['failover'] }, timeout: '1m' } } };
    expect(preStop(spec)).toEqual([['cache', { exec: { command: ['failover'] } }]]);
    expect(cachePodTemplate(build(spec)).spec?.terminationGracePeriodSeconds).toBe(90);
  });

  test('runs it in a sidecar that the pod template brings', () => {
    const podTemplate = { spec: { containers: [{ name: 'agent', image: 'a' }] } };
    const spec = { podTemplate, upgrade: { handoff: { exec: { command: ['failover'], container: 'agent' } } } };
    expect(preStop(spec)).toEqual([
      ['cache', undefined],
      ['agent', { exec: { command: ['failover'] } }],
    ]);
  });

  test('asks by GET, and is left out for POST, which hooks do not know', () => {
    const http = { path: '/handoff' };
    expect(preStop({ port: 80, upgrade: { handoff: { http } } })).toEqual([
      ['cache', { httpGet: { path: '/handoff', port: 80, scheme: 'HTTP' } }],
    ]);
    expect(preStop({ port: 80, upgrade: { handoff: { http: { ...http, method: 'POST' } } } })).toEqual([
      ['cache', undefined],
    ]);
  });
});

test('only what is in the pod changes the template’s hash (I29)', () => {
  expect(hash({ replicas: 5, podDisruptionBudget: { maxUnavailable: 2 }, upgrade: { paused: true } })).toBe(hash({}));
  expect(hash({ image: 'cache:2' })).not.toBe(hash({}));
  expect(hash({ podTemplate: { spec: { nodeName: 'n' } } })).not.toBe(hash({}));
});
