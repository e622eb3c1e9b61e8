import { fieldErrorMessage } from '@ordinal/schema';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type {
  CloudDatabaseInput,
  ClusteredCache,
  ClusteredCacheInput,
  KVStoreClusterInput,
  MonitoredStatefulSetInput,
} from './index.ts';
import {
  cloudDatabaseValidator,
  clusteredCacheValidator,
  kvStoreClusterValidator,
  monitoredStatefulSetValidator,
} from './validation.ts';

const metadata = { name: 'sample', namespace: 'shop' };

const cache: ClusteredCacheInput = {
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata,
  spec: { replicas: 3, image: 'registry.example.com/cache:2.1' },
};
const store: KVStoreClusterInput = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata,
  spec: {
    version: '3.5.9',
    replicas: 3,
    storage: { className: 'fast', size: '10Gi' },
    upgradeStrategy: 'RollingUpdate',
  },
};
const database: CloudDatabaseInput = {
  apiVersion: 'db.example.com/v1',
  kind: 'CloudDatabase',
  metadata,
  spec: { engine: 'postgres', size: 'small' },
};
const monitored: MonitoredStatefulSetInput = {
  apiVersion: 'statefulsets.example.com/v1alpha1',
  kind: 'MonitoredStatefulSet',
  metadata,
  spec: {
    monitorEndpoint: 'https://monitor.example.com/register',
    statefulSetSpec: {
      serviceName: 'search',
      selector: { matchLabels: { app: 'search' } },
      template: {
        metadata: { labels: { app: 'search' } },
        spec: { containers: [{ name: 'search', image: 'search:1' }] },
      },
    },
  },
};

describe('a manifest of each kind', () => {
  test.each([
    ['ClusteredCache', clusteredCacheValidator, cache],
    ['KVStoreCluster', kvStoreClusterValidator, store],
    ['CloudDatabase', cloudDatabaseValidator, database],
    ['MonitoredStatefulSet', monitoredStatefulSetValidator, monitored],
  ])('%s is accepted', (_, validator, object) => {
    expect(validator.problems(object)).toEqual([]);
  });
});

describe('what the API server refuses is refused in its words', () => {
  test.each<readonly [string, unknown, string]>([
    [
      'too few replicas',
      { ...cache.spec, replicas: 0 },
      'spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1',
    ],
    ['a missing field', { replicas: 3 }, 'spec.image: Required value'],
    [
      'a rule that crosses fields',
      { ...cache.spec, upgrade: { order: 'LeaderLast' } },
      'order LeaderLast needs upgrade.role',
    ],
  ])('%s', (_, spec, message) => {
    expect(
      clusteredCacheValidator
        .validate({ ...cache, spec })
        .map(fieldErrorMessage)
        .join('\n'),
    ).toContain(message);
  });

  test('a change of what can not change', () => {
    const changed = { ...database, spec: { ...database.spec, engine: 'mysql' } };
    expect(cloudDatabaseValidator.validate(changed)).toEqual([]);
    expect(cloudDatabaseValidator.validate(changed, database).map(({ field }) => field)).toEqual(['spec.engine']);
  });

  test('an object of another kind', () => {
    expect(clusteredCacheValidator.validate(database).map(({ field }) => field)).toEqual(['apiVersion']);
  });
});

describe('what the API server does to an object before it stores it', () => {
  test('unknown fields are named, and gone', () => {
    const object = { ...cache, spec: { ...cache.spec, replica: 5 } };
    expect(clusteredCacheValidator.unknownFields(object)).toEqual(['spec.replica']);
    expect(clusteredCacheValidator.withDefaults(object).spec).not.toHaveProperty('replica');
  });

  test('defaults are filled in, in a copy that has the read form', () => {
    const object: ClusteredCacheInput = { ...cache, spec: { ...cache.spec, podDisruptionBudget: {} } };
    const filled = clusteredCacheValidator.withDefaults(object);
    expect(filled.spec.podDisruptionBudget).toEqual({ enabled: true, maxUnavailable: 1 });
    expect(object.spec.podDisruptionBudget).toEqual({});
    expectTypeOf(filled.spec).toEqualTypeOf<ClusteredCache['spec']>();
  });

  test('of a KVStoreCluster are filled in: one member after the other, a quarter of an hour, back on a failure', () => {
    const { version, replicas, storage } = store.spec;
    const asked = { version, replicas, storage, upgrade: {} };
    const { spec } = kvStoreClusterValidator.withDefaults({ ...store, spec: asked });
    expect(spec).toMatchObject({
      image: 'my-repo/kvstore',
      upgradeStrategy: 'RollingUpdate',
      upgrade: { progressDeadline: '15m', onFailure: 'Rollback' },
      storage: { mountPath: '/data' },
    });
  });

  test('status written beside the spec counts for nothing', () => {
    expect(clusteredCacheValidator.validate({ ...cache, status: { replicas: 'three' } })).toEqual([]);
  });
});
