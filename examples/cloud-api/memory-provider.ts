import { ExternalError } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseSystem, DatabaseView } from '@ordinal/reconcilers';

/** The smallest provider there can be: databases in a map. It passes every check of the conformance suite, and is where yours can begin. */
export function memoryProvider(): DatabaseSystem {
  const databases = new Map<string, DatabaseView>();
  const check = (signal: AbortSignal): void => {
    if (signal.aborted) throw new ExternalError('TimedOut', 'aborted before it was sent', { applied: 'no' });
  };
  return {
    // A second create with the same token finds the first one's database, and everything shows at once.
    traits: { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 },
    async get(id, signal) {
      check(signal);
      return Promise.resolve(databases.get(id));
    },
    async findByOwner(owner, signal) {
      check(signal);
      return Promise.resolve([...databases.values()].filter((view) => view.owner === owner));
    },
    async create({ token, owner, desired }, signal) {
      check(signal);
      refuse(desired);
      const id = `memory-${token}`;
      const view = databases.get(id) ?? {
        id,
        owner,
        token,
        state: 'ready',
        size: desired.size,
        host: 'memory.example',
        port: 5432,
      };
      databases.set(id, view);
      return Promise.resolve(view);
    },
    async update(id, { size }, signal) {
      check(signal);
      const view = databases.get(id);
      if (view === undefined) throw new ExternalError('NotFound', `there is no database ${id}`, { applied: 'no' });
      if (size !== undefined) databases.set(id, { ...view, size });
      return Promise.resolve();
    },
    async delete({ id, finalSnapshot }, signal) {
      check(signal);
      if (finalSnapshot !== undefined)
        throw new ExternalError('Unsupported', 'memory takes no snapshots', { applied: 'no' });
      databases.delete(id);
      return Promise.resolve();
    },
  };
}

/** What can never be made is refused in words that its author understands, and with the certainty that nothing was done. */
function refuse({ engine }: DatabaseRequest): void {
  if (engine !== 'postgres') throw new ExternalError('Refused', `memory has no ${engine}`, { applied: 'no' });
}
