import { readFileSync } from 'node:fs';

/** A request to write, as the API server's audit log has it. */
export interface AuditedWrite {
  readonly user: string;
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  /** When the server answered. */
  readonly answeredAt: number;
  /** What the server returned, where it carried the write out. */
  readonly object: {
    readonly metadata?: { readonly resourceVersion?: string };
    readonly spec?: { readonly holderIdentity?: string };
  };
}

interface AuditLine {
  readonly user?: { readonly username?: string };
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp?: string;
  readonly responseObject?: AuditedWrite['object'];
}

/** All of them, in the order in which they were answered. */
export function auditedWrites(file: string): readonly AuditedWrite[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { user, objectRef, responseStatus, stageTimestamp, responseObject } = JSON.parse(line) as AuditLine; // audit.k8s.io/v1
      return {
        user: user?.username ?? '',
        resource: objectRef?.resource ?? '',
        name: objectRef?.name ?? '',
        code: responseStatus?.code ?? 0,
        answeredAt: Date.parse(stageTimestamp ?? ''),
        object: responseObject ?? {},
      };
    });
}

/** What the audit log says of the replicas of one lease. */
export interface Verdict {
  readonly accepted: number;
  /** Accepted writes of a replica that did not hold the lease at that revision: there must be none. */
  readonly byStrangers: readonly AuditedWrite[];
  /** Refused writes of a replica that did not hold the lease when they came: what a deposed leader sent late. */
  readonly refusedOfDeposed: number;
}

/** Compares the writes to the ledgers of one pair with who held its lease. */
export function judge(writes: readonly AuditedWrite[], lease: string): Verdict {
  const good = (write: AuditedWrite): boolean => write.code >= 200 && write.code < 300;
  const revision = ({ object }: AuditedWrite): bigint => BigInt(object.metadata?.resourceVersion ?? '0');
  const holders = writes
    .filter((write) => write.resource === 'leases' && write.name === lease && good(write))
    .map((write) => ({
      revision: revision(write),
      at: write.answeredAt,
      holder: write.object.spec?.holderIdentity ?? '',
    }))
    .sort((left, right) => (left.revision < right.revision ? -1 : 1));
  const ledgers = writes.filter(
    ({ resource, name, user }) =>
      resource === 'configmaps' && name.startsWith(`${lease}-`) && user.startsWith(`${lease}-`),
  );
  const accepted = ledgers.filter(good);
  const holderAt = (write: AuditedWrite): string =>
    holders.findLast((change) => change.revision < revision(write))?.holder ?? '';
  const holderWhen = (write: AuditedWrite): string =>
    holders.findLast((change) => change.at <= write.answeredAt)?.holder ?? '';
  return {
    accepted: accepted.length,
    byStrangers: accepted.filter((write) => holderAt(write) !== write.user),
    refusedOfDeposed: ledgers.filter((write) => write.code === 409 && holderWhen(write) !== write.user).length,
  };
}
