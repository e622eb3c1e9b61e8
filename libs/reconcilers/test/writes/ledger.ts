import type { ResourceDescriptor } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';

const writing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete']);

/** What an operator has written in one step of a life. */
export interface Entries {
  /** How often each thing was written: `apply statefulsets`, `delete pods`, `patch pods`. Statuses are counted by themselves. */
  readonly writes: Readonly<Record<string, number>>;
  readonly statuses: number;
}

/** Counts what an operator writes, and notes what it should not have: writes that were refused, or that changed nothing. */
export class Ledger {
  private counts = new Map<string, number>();
  private statuses = 0;
  /** Writes in vain, in words. */
  readonly inVain: string[] = [];

  constructor(cluster: SimulatedCluster, user: string, { plural }: Pick<ResourceDescriptor, 'plural'>) {
    const revisions = new Map<string, string>();
    cluster.server.intercept({
      after: (request, reply) => {
        if (request.verb === 'watch' || request.user?.name !== user || !writing.has(request.verb)) return;
        const isStatus = request.resource.plural === plural && request.subresource === 'status';
        const what = `${request.verb} ${request.resource.plural}`;
        const { metadata } = (reply.body ?? {}) as {
          readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
        }; // An object, or the Status of a refusal.
        const { uid = '', resourceVersion = '' } = metadata ?? {};
        if (reply.status >= 300) this.inVain.push(`${what} ${request.name ?? ''} was refused with ${reply.status}`);
        else if (request.verb !== 'delete' && revisions.get(uid) === resourceVersion)
          this.inVain.push(`${what} ${request.name ?? ''} changed nothing`);
        revisions.set(uid, resourceVersion);
        if (isStatus) this.statuses += 1;
        else this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
      },
    });
  }

  /** What was written since the last time. */
  take(): Entries {
    const writes = Object.fromEntries([...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { statuses } = this;
    this.counts = new Map();
    this.statuses = 0;
    return { writes, statuses };
  }
}
