import { sameJson } from '@ordinal/client';
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.js';
import type { ControllerDefinition } from './controller.ts';
import { keyOf } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Live } from './kinds.ts';
import { matchesSelector } from './selector.ts';

/** Gives cluster roles that gather others, such as `admin`, the rules of those. */
export const clusterRoleAggregation: ControllerDefinition = {
  name: 'clusterrole-aggregation-controller',
  watches: [
    {
      kind: kinds.clusterRole,
      keys: (_, store) =>
        store
          .list<ClusterRole>(kinds.clusterRole)
          .filter(({ aggregationRule }) => aggregationRule !== undefined)
          .map(keyOf),
    },
  ],
  reconcile: ({ name }, { store }) => {
    const role = store.find<ClusterRole>(kinds.clusterRole, '', name);
    if (role?.aggregationRule === undefined) return undefined;
    const rules = gathered(role, store.list<ClusterRole>(kinds.clusterRole));
    if (!sameJson(rules, role.rules ?? []))
      store.apply(kinds.clusterRole, { metadata: { name }, rules }, 'clusterrole-aggregation-controller');
    return undefined;
  },
};

/** The rules of all roles that are selected, each once, in the order of the roles' names. */
function gathered(role: Live<ClusterRole>, roles: readonly Live<ClusterRole>[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  const sorted = [...roles].sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? [])
    for (const other of sorted) {
      if (other.metadata.name === role.metadata.name || !matchesSelector(selector, other.metadata.labels ?? {}))
        continue;
      for (const rule of other.rules ?? []) rules.set(JSON.stringify(rule), rule);
    }
  return [...rules.values()];
}
