import type { StatefulSet } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { obstacleTo } from './obstacle.ts';

const set = (metadata: Partial<StatefulSet['metadata']>): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    ...{ name: 'db', namespace: 'shop', uid: 'u1', generation: 1, resourceVersion: '1', creationTimestamp: '' },
    ...metadata,
  },
  spec: { selector: {}, serviceName: 'db-headless', template: {} },
  status: { replicas: 1, updatedReplicas: 1, observedGeneration: 1 },
});

const obstacle = (metadata: Partial<StatefulSet['metadata']>) =>
  obstacleTo({
    object: { apiVersion: 'v1', kind: 'X', metadata: { ...set({}).metadata, uid: 'u2' } },
    ...{ resource: 'kvs', set: set(metadata), mismatch: undefined },
  });

describe('a tool that applies a StatefulSet again and again is named', () => {
  test.each([
    ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/StatefulSet:shop/db' } }],
    ['Argo CD', { labels: { 'argocd.argoproj.io/instance': 'shop' } }],
    ['Flux (Kustomization)', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }],
    ['Flux (HelmRelease)', { labels: { 'helm.toolkit.fluxcd.io/name': 'shop' } }],
  ])('%s by %o', (tool, metadata) => {
    expect(obstacle(metadata)).toMatchObject({ reason: 'ManagedElsewhere' });
    expect(obstacle(metadata)?.message).toContain(`${tool} applies StatefulSet db`);
  });
});

test('a Helm release is named, with what would delete the StatefulSet', () => {
  const found = obstacle({ annotations: { 'meta.helm.sh/release-name': 'shop' } });
  expect(found).toMatchObject({ reason: 'AwaitingConsent' });
  expect(found?.message).toContain('Helm release shop still has it: helm uninstall would delete it');
  expect(obstacle({})?.message).not.toContain('Helm');
});
