import type { DatabaseSystem } from '@ordinal/reconcilers';
import type { Traits } from '@ordinal/lifecycle';

/** The calls to a provider. What is promised of them stands in `traits`, where the provider is declared. */
export type DatabaseCalls = Omit<Required<DatabaseSystem>, 'traits'>;

/**
 * A system whose library is loaded at its first call: an operator that keeps no database of this kind does not pay for it. A load that failed is tried again
 * at the next call.
 */
export function onDemand(traits: Traits, load: () => Promise<DatabaseCalls>): Required<DatabaseSystem> {
  let loading: ReturnType<typeof load> | undefined;
  const loaded = (): ReturnType<typeof load> => {
    const attempt = (loading ??= load());
    attempt.catch(() => (loading = undefined));
    return attempt;
  };
  return {
    traits,
    get: async (id, signal) => (await loaded()).get(id, signal),
    findByOwner: async (owner, signal) => (await loaded()).findByOwner(owner, signal),
    findByName: async (name, signal) => (await loaded()).findByName(name, signal),
    create: async (request, signal) => (await loaded()).create(request, signal),
    update: async (id, change, signal) => (await loaded()).update(id, change, signal),
    delete: async (request, signal) => (await loaded()).delete(request, signal),
  };
}
