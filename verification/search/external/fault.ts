import { EtcdRestore } from '@ordinal/explorer';
import type { Operator, OperatorCall, SimulatedCluster, Verdict } from '@ordinal/simulator';
import type { RestoreOptions } from '@ordinal/explorer';

/** What happens to one call of the operator. */
export type FaultEffect =
  'crash' | 'lose' | 'conflict' | 'unavailable' | 'hang' | 'pause' | 'clock' | 'deny' | 'restore';

/** A point in a history, and what happens there. */
export interface Fault {
  readonly kind: 'write' | 'external';
  /** The how many-th call of the kind. */
  readonly number: number;
  readonly when: 'before' | 'after';
  readonly effect: FaultEffect;
}

/** A fault as text: `crash before write 3`. */
export function faultName({ kind, number, when, effect }: Fault): string {
  return `${effect} ${when} ${kind} ${number}`;
}

/** Every fault that makes sense at a point: a reply can be lost only after, a call refused only before. */
export function faultsAt(kind: Fault['kind'], number: number): readonly Fault[] {
  const before: readonly FaultEffect[] =
    kind === 'write'
      ? ['crash', 'lose', 'conflict', 'unavailable', 'pause']
      : ['crash', 'lose', 'unavailable', 'hang', 'pause', 'deny'];
  const after: readonly FaultEffect[] =
    kind === 'write' ? ['crash', 'lose', 'restore'] : ['crash', 'lose', 'clock', 'restore'];
  return [
    ...before.map((effect) => ({ kind, number, when: 'before' as const, effect })),
    ...after.map((effect) => ({ kind, number, when: 'after' as const, effect })),
  ];
}

/** Whom faults strike. */
export interface Injected {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** Lets the user wait, and go on. */
  readonly holdUser: (isHeld: boolean) => void;
}

/** Injects faults into a history. Calls of leases and events are not counted. Returns how many calls there were, and which of those outside were creations. */
export function injectFaults(
  target: Injected,
  faults: readonly Fault[],
  onFire: (fault: Fault, call: OperatorCall) => void,
): { readonly count: { write: number; external: number }; readonly creations: readonly number[] } {
  const { operator } = target;
  const etcd = new EtcdRestore(target);
  const creations: number[] = [];
  const count = { write: 0, external: 0 };
  const numbers = new Map<string, number>();
  const apply = (when: Fault['when'], call: OperatorCall): Verdict | undefined => {
    if (call.kind === 'read') return undefined;
    const key = `${call.kind} ${call.number}`;
    if (when === 'before') numbers.set(key, (count[call.kind] += 1));
    const number = numbers.get(key);
    if (when === 'before' && call.kind === 'external' && call.method === 'POST') creations.push(count.external);
    const fault = faults.find(
      (candidate) => candidate.kind === call.kind && candidate.number === number && candidate.when === when,
    );
    if (fault === undefined) return undefined;
    onFire(fault, call);
    if (fault.effect === 'restore') etcd.strike(backupOf(fault), () => undefined);
    return verdictOf(fault, operator, call);
  };
  operator.hook({ before: (call) => apply('before', call), after: (call) => apply('after', call) });
  return { count, creations };
}

/** In turns a backup of just now, and one from before much of what happens. Users ask again when the operator has seen the older state. */
const backupOf = ({ number }: Fault): RestoreOptions => ({
  backMs: number % 2 === 0 ? 5_000 : 60_000,
  repeatAfterMs: 20_000,
});

function verdictOf({ effect, number }: Fault, operator: Operator, call: OperatorCall): Verdict | undefined {
  switch (effect) {
    case 'crash':
      operator.restart(1_000);
      return { crash: true };
    case 'lose':
      return { lose: true };
    case 'hang':
      return { hang: true };
    case 'pause':
      // Longer than an announced call stays valid.
      operator.pause(25_000);
      return undefined;
    case 'clock':
      // By an hour, forward and back in turns.
      operator.skewClock(number % 2 === 0 ? 3_600_000 : -3_600_000);
      return undefined;
    case 'deny':
    case 'restore':
      // It is the provider that lies, and the API server that is struck.
      return undefined;
    case 'conflict':
    case 'unavailable':
      if (call.kind === 'external') return { status: 503 };
      return {
        refuse:
          effect === 'conflict'
            ? {
                kind: 'Status',
                apiVersion: 'v1',
                status: 'Failure',
                code: 409,
                reason: 'Conflict',
                message: 'injected',
              }
            : {
                kind: 'Status',
                apiVersion: 'v1',
                status: 'Failure',
                code: 503,
                reason: 'ServiceUnavailable',
                message: 'injected',
              },
      };
  }
}
