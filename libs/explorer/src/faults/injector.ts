import type { Status } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { OperatorCall, Verdict } from '@ordinal/simulator';
import type { Operator, OperatorStart } from '@ordinal/simulator';
import type { SimulatedCluster, TestCluster } from '@ordinal/simulator';
import type { NetworkFault } from '@ordinal/simulator';
import type { EtcdRestore } from './etcd-restore.ts';
import type { Fault, FaultPoint } from './fault.ts';
import { defaultRestartMs, describeFault } from './fault.ts';

/** What a user does in a cluster. It may be refused, as anyone's request. */
export type UserAction = (cluster: TestCluster) => void | Promise<void>;

/** Something wrong that a user asks for, and how they ask for what was right before. */
export interface Mistake {
  readonly make: UserAction;
  readonly revert: UserAction;
}

/** What faults act on. */
export interface FaultTarget {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** The operator itself, to start a second one. */
  readonly start: OperatorStart;
  readonly olderVersion?: OperatorStart;
  readonly actions: Readonly<Record<string, UserAction>>;
  readonly mistakes: Readonly<Record<string, Mistake>>;
  /** Called when a fault fires, before it acts. */
  readonly fired?: (fault: Fault) => void;
  /** Restores its etcd: one for all faults of a history. */
  readonly etcd: EtcdRestore;
}

/** Waits for a fault's point, and lets it happen there. */
export class FaultInjector {
  readonly fault: Fault;
  private readonly target: FaultTarget;
  private state: 'waiting' | 'acting' | 'over' = 'waiting';
  private readonly takeOut: () => void;

  constructor(fault: Fault, target: FaultTarget) {
    this.fault = fault;
    this.target = target;
    this.takeOut = target.operator.hook({
      before: (call) => this.reached('before', call),
      after: (call) => this.reached('after', call),
    });
  }

  /** Whether the history has come to the fault's point. */
  get hasFired(): boolean {
    return this.state !== 'waiting';
  }

  /** Whether the fault still acts. */
  get isActing(): boolean {
    return this.state === 'acting';
  }

  private reached(when: 'before' | 'after', call: OperatorCall): Verdict | undefined {
    if (this.state !== 'waiting' || !isAt(this.fault.at, when, call)) return undefined;
    const { cluster, fired } = this.target;
    fired?.(this.fault);
    cluster.trace.add({
      at: cluster.scheduler.now(),
      actor: 'fault',
      action: 'strike',
      subject: describeFault(this.fault),
    });
    this.state = 'acting';
    return this.strike(call);
  }

  /** Ends after a time; `undo` puts right what has to be. */
  private lasts(forMs: number, undo: () => void = () => undefined): undefined {
    this.target.cluster.scheduler.schedule(forMs, 'fault ends', () => {
      undo();
      this.over();
    });
    return undefined;
  }

  private over(): undefined {
    this.state = 'over';
    this.takeOut();
    return undefined;
  }

  private strike(call: OperatorCall): Verdict | undefined {
    const { fault, target } = this;
    const { cluster, operator } = target;
    switch (fault.fault) {
      case 'crash':
        this.startAgain(fault.restartAfterMs ?? defaultRestartMs);
        return { crash: true };
      case 'ambiguous':
        this.over();
        return { lose: true };
      case 'refuse':
        this.over();
        if (fault.forMs !== undefined) this.refuseFor(fault.forMs, fault.code, () => true);
        return refusal(call, fault.code);
      case 'stale':
        return this.lasts(fault.forMs, operator.holdEvents(fault.kind));
      case 'unobserved':
        operator.holdEvents(fault.kind);
        return this.lasts(fault.forMs, () => operator.expireEvents(fault.kind));
      case 'timeTravel':
        operator.travelBack(fault.kind, fault.backMs, fault.forMs);
        this.startAgain(defaultRestartMs, fault.forMs);
        return { crash: true };
      case 'twoLeaders':
        return this.twin(fault.pauseMs, fault.deposedMs);
      case 'user':
        return this.act(target.actions[fault.action]);
      case 'mistake':
        return this.err(target.mistakes[fault.mistake], fault.forMs);
      case 'pod':
        return this.strikePod(fault.how);
      case 'node':
        return this.loseNode(fault.how, fault.forMs);
      case 'outage':
        return this.cutOff(fault.how, fault.forMs);
      case 'clock':
        operator.skewClock(fault.byMs);
        return this.over();
      case 'permission':
        return this.refuseFor(fault.forMs, 403, ({ target: path }) => path.split('/').includes(fault.kind));
      case 'oldVersion':
        cluster.scheduler.schedule(defaultRestartMs, 'older version', () => operator.start(target.olderVersion));
        this.lasts(fault.forMs, () => operator.start(target.start));
        return { crash: true };
      case 'restore':
        target.etcd.strike(fault, () => void this.over());
        return undefined;
    }
  }

  private startAgain(afterMs: number, endsAfterMs = 0): void {
    const { cluster, operator } = this.target;
    cluster.scheduler.schedule(afterMs, 'operator restart', () => {
      if (!operator.isRunning) operator.start();
      if (endsAfterMs === 0) this.over();
      else this.lasts(endsAfterMs);
    });
  }

  private twin(pauseMs: number, deposedMs: number | undefined): undefined {
    const { cluster, operator, start } = this.target;
    operator.pause(pauseMs);
    const twin = cluster.operator(`${operator.name}-twin`, start);
    if (deposedMs === undefined) return this.lasts(pauseMs);
    return this.lasts(pauseMs + deposedMs, () => {
      twin.crash();
      operator.start();
    });
  }

  private act(action: UserAction | undefined): undefined {
    this.later(1, action, () => void this.over());
    return undefined;
  }

  private err(mistake: Mistake | undefined, forMs: number): undefined {
    this.later(1, mistake?.make, () => this.later(forMs, mistake?.revert, () => void this.over()));
    return undefined;
  }

  private later(afterMs: number, action: UserAction | undefined, done: () => void): void {
    const { cluster } = this.target;
    // A user's request may be refused, as anyone's.
    cluster.scheduler.schedule(afterMs, 'user', () => void Promise.resolve(action?.(cluster)).then(done, done));
  }

  private strikePod(how: 'crash' | 'delete' | 'kill'): undefined {
    const { cluster } = this.target;
    const running = cluster.objects
      .list(pods)
      .filter(({ status, metadata }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined);
    const pod = running[Math.floor(cluster.random() * running.length)];
    if (pod === undefined) return this.over();
    cluster.scheduler.schedule(1, 'pod fault', () => {
      const { namespace = '', name, uid } = pod.metadata;
      if (how === 'crash') cluster.process(namespace, name)?.kill();
      else {
        const options = { preconditions: { uid }, ...(how === 'kill' && { gracePeriodSeconds: 0 }) };
        cluster.server.execute({ verb: 'delete', resource: pods, namespace, name, options });
      }
      this.over();
    });
    return undefined;
  }

  private loseNode(how: 'power' | 'partition', forMs: number): undefined {
    const { cluster } = this.target;
    const busy = cluster.nodes.filter((node) => [...node.running()].length > 0);
    const node = busy[Math.floor(cluster.random() * busy.length)];
    if (node === undefined) return this.over();
    node.fail(how);
    return this.lasts(forMs, () => node.recover());
  }

  private cutOff(how: 'down' | 'slow' | 'hang', forMs: number): undefined {
    const { cluster, operator } = this.target;
    const effects: Readonly<Record<typeof how, NetworkFault>> = {
      down: { refuse: true },
      slow: { delayMs: 45_000 },
      hang: { hang: true },
    };
    const caller = `operator ${operator.name}`;
    return this.lasts(
      forMs,
      cluster.network.hook((who) => (who === caller ? effects[how] : undefined)),
    );
  }

  private refuseFor(forMs: number, code: number, meant: (call: OperatorCall) => boolean): undefined {
    const { operator } = this.target;
    const { fault } = this;
    const hook = operator.hook({
      before: (call) =>
        call.kind === ('external' in fault.at ? 'external' : 'write') && meant(call) ? refusal(call, code) : undefined,
    });
    this.state = 'acting';
    return this.lasts(forMs, hook);
  }
}

function isAt(point: FaultPoint, when: 'before' | 'after', call: OperatorCall): boolean {
  if (point.when !== when) return false;
  return 'write' in point
    ? call.kind === 'write' && call.number === point.write
    : call.kind === 'external' && call.number === point.external;
}

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  403: ['Forbidden', 'the operator is not allowed to do this'],
  404: ['NotFound', 'not found'],
  409: [
    'Conflict',
    'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  ],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'Internal error occurred: etcdserver: request timed out'],
};

function refusal(call: OperatorCall, code: number): Verdict {
  if (call.kind === 'external') return { status: code };
  const [reason = 'Unknown', message = ''] = reasons[code] ?? [];
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message,
    ...(code === 429 && { details: { retryAfterSeconds: 1 } }),
  };
  return { refuse: status };
}
