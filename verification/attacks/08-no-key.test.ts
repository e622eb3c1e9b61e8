import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client, KubernetesObject } from '@ordinal/client';
import { startWorld } from './world/world.ts';

// Without the key that seals statuses nothing that stands in one can be believed: an operator that may not make it must do nothing, and say why.

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}
type Role = KubernetesObject & { readonly rules: readonly Rule[] };

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const places = [`${rbac}/clusterroles`, `${rbac}/namespaces/ordinal-system/roles`];
const secret = '/api/v1/namespaces/ordinal-system/secrets/ordinal-operator-seal';
const merge = { 'content-type': 'application/merge-patch+json' };

const withoutSecrets = (rule: Rule): Rule =>
  rule.resources?.includes('secrets') ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') } : rule;

/** Takes from all roles of the operator the right to create Secrets. Returns what puts it back. */
async function takeAway(admin: Client): Promise<() => Promise<void>> {
  const undo: (() => Promise<unknown>)[] = [];
  for (const place of places) {
    const { items } = (await admin.request('GET', place)) as { readonly items: readonly Role[] };
    for (const { metadata, rules } of items.filter((role) => role.metadata.name.startsWith('ordinal-operator'))) {
      const write = (body: object) => admin.request('PATCH', `${place}/${metadata.name}`, { body, headers: merge });
      await write({ rules: rules.map(withoutSecrets).filter(({ verbs }) => verbs.length > 0) });
      undo.push(() => write({ rules }));
    }
  }
  return async () => {
    for (const each of undo) await each();
  };
}

test('an operator that may not make its key does nothing, says so, and goes on when it may', async () => {
  // Once with all rights, for the certificate of the webhooks.
  await (await startWorld()).stop();
  let giveBack = (): Promise<void> => Promise.resolve();
  const world = await startWorld({
    before: async (admin) => {
      await admin.request('DELETE', secret).catch(() => undefined);
      giveBack = await takeAway(admin);
    },
  });
  try {
    await world
      .apply({
        apiVersion: 'kvstore.example.com/v1',
        kind: 'KVStoreCluster',
        metadata: { name: 'waits', namespace: 'default' },
        spec: { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
      })
      .catch(() => undefined);
    const said = /ordinal-operator-seal, whose key seals what the operator remembers, can’t be kept/;
    for (const end = performance.now() + 30_000; !said.test(world.operator.log) && performance.now() < end;)
      await pause(200);
    expect(world.operator.log).toMatch(said);
    expect(world.operator.log).toContain('forbidden');
    await pause(2_000);
    expect(await world.operator.isReady()).toBe(false);
    expect(world.operator.log).not.toContain('"action"');
    await giveBack();
    await world.operator.untilReady();
    expect(await world.admin.request('GET', secret)).toBeDefined();
  } finally {
    await giveBack();
    await world.stop();
  }
});
