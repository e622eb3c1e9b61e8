/** A point in a history: before or after the how many-th write, or external call, of the operator; both count from 1 over all its lives. */
export type FaultPoint =
  | { readonly when: 'before' | 'after'; readonly write: number }
  | { readonly when: 'before' | 'after'; readonly external: number };

/** What happens to the world at a point of a history, as data. Each comes to its end by itself: after the faults a history can converge. */
export type Fault =
  /** The operator's process ends, and starts again (F1). */
  | { readonly fault: 'crash'; readonly at: FaultPoint; readonly restartAfterMs?: number }
  /** The connection breaks: `before`, the call is never carried out; `after`, it is, and the operator gets no answer (F2). */
  | { readonly fault: 'ambiguous'; readonly at: FaultPoint }
  /** The API server refuses the write, or the external service the call, with this code, once or for a while (F3, F8). */
  | {
      readonly fault: 'refuse';
      readonly at: FaultPoint;
      readonly code: 403 | 404 | 409 | 429 | 500;
      readonly forMs?: number;
    }
  /** The operator's cache of a kind stands still for a while (F4). */
  | { readonly fault: 'stale'; readonly at: FaultPoint; readonly kind: string; readonly forMs: number }
  /** The operator ends, and on its return sees a kind as it was this long ago, for a while (F4, time travel). */
  | {
      readonly fault: 'timeTravel';
      readonly at: FaultPoint;
      readonly kind: string;
      readonly backMs: number;
      readonly forMs: number;
    }
  /** What happens to a kind for a while is never seen: the watch expires and the operator lists again (F5). */
  | { readonly fault: 'unobserved'; readonly at: FaultPoint; readonly kind: string; readonly forMs: number }
  /**
   * The operator is suspended while another of its kind takes over; then it goes on where it was (F6): forever, which no election allows, or for as long as
   * it takes to notice that it is deposed. Then both end, and one starts again.
   */
  | { readonly fault: 'twoLeaders'; readonly at: FaultPoint; readonly pauseMs: number; readonly deposedMs?: number }
  /** A user does one of the things that the scenario lists (F6). */
  | { readonly fault: 'user'; readonly at: FaultPoint; readonly action: string }
  /** A user asks for something wrong that the scenario lists, and for what was right before a while later (F6). */
  | { readonly fault: 'mistake'; readonly at: FaultPoint; readonly mistake: string; readonly forMs: number }
  /** A container of a pod crashes, or its pod is deleted, evicted or killed without grace; which pod depends on the seed (F7). */
  | { readonly fault: 'pod'; readonly at: FaultPoint; readonly how: 'crash' | 'delete' | 'kill' }
  /** A node is lost for a while, and with it the pods that run there (F7). */
  | { readonly fault: 'node'; readonly at: FaultPoint; readonly how: 'power' | 'partition'; readonly forMs: number }
  /** External services can not be reached, answer late, or never (F8). */
  | {
      readonly fault: 'outage';
      readonly at: FaultPoint;
      readonly how: 'down' | 'slow' | 'hang';
      readonly forMs: number;
    }
  /** The operator's clock is set forward or back (F9). */
  | { readonly fault: 'clock'; readonly at: FaultPoint; readonly byMs: number }
  /** The operator loses its permission to write a kind for a while (F9). */
  | { readonly fault: 'permission'; readonly at: FaultPoint; readonly kind: string; readonly forMs: number }
  /** An older version of the operator takes over for a while, then the present one again (F9). */
  | { readonly fault: 'oldVersion'; readonly at: FaultPoint; readonly forMs: number }
  /** etcd is restored from a backup of this long ago, and the API server starts again; what was lost of the user's wishes they ask for once more a while later (F10). */
  | { readonly fault: 'restore'; readonly at: FaultPoint; readonly backMs: number; readonly repeatAfterMs: number };

/** The name of a class of faults. */
export type FaultName = Fault['fault'];

/** A point in words. */
function describePoint(point: FaultPoint): string {
  return 'write' in point ? `${point.when} write ${point.write}` : `${point.when} external call ${point.external}`;
}

/** A fault in words. */
export function describeFault(fault: Fault): string {
  return `${describePoint(fault.at)}: ${whatHappens(fault)}`;
}

const seconds = (ms: number): string => `${ms / 1000} s`;

const deposed = (forMs: number | undefined): string =>
  forMs === undefined ? '' : `; it goes on for ${seconds(forMs)}, then both end and one starts`;

function whatHappens(fault: Fault): string {
  switch (fault.fault) {
    case 'crash':
      return `the operator crashes, and starts again ${seconds(fault.restartAfterMs ?? defaultRestartMs)} later`;
    case 'ambiguous':
      return fault.at.when === 'before' ? 'the request is lost' : 'the request is carried out, and its reply is lost';
    case 'refuse':
      return `the answer is ${fault.code}${fault.forMs === undefined ? '' : ` for ${seconds(fault.forMs)}`}`;
    case 'stale':
      return `the operator sees no events of ${fault.kind} for ${seconds(fault.forMs)}`;
    case 'timeTravel':
      return `the operator restarts, and sees ${fault.kind} of ${seconds(fault.backMs)} ago for ${seconds(fault.forMs)}`;
    case 'unobserved':
      return `what happens to ${fault.kind} within ${seconds(fault.forMs)} is never seen`;
    case 'twoLeaders':
      return `the operator is suspended for ${seconds(fault.pauseMs)}, and another one started${deposed(fault.deposedMs)}`;
    case 'user':
      return `a user does this: ${fault.action}`;
    case 'mistake':
      return `a user makes this mistake: ${fault.mistake}; and takes it back ${seconds(fault.forMs)} later`;
    case 'pod':
      return { crash: 'a container crashes', delete: 'a pod is deleted', kill: 'a pod is deleted without grace' }[
        fault.how
      ];
    case 'node':
      return `a node is lost (${fault.how}) for ${seconds(fault.forMs)}`;
    case 'outage':
      return `external services are ${{ down: 'down', slow: 'slow', hang: 'silent' }[fault.how]} for ${seconds(fault.forMs)}`;
    case 'clock':
      return `the operator's clock is set by ${seconds(fault.byMs)}`;
    case 'permission':
      return `the operator may not write ${fault.kind} for ${seconds(fault.forMs)}`;
    case 'oldVersion':
      return `the older version of the operator runs for ${seconds(fault.forMs)}`;
    case 'restore':
      return `etcd is restored to its state of ${seconds(fault.backMs)} ago; users ask again ${seconds(fault.repeatAfterMs)} later`;
  }
}

/** How long a crashed operator is away, unless its fault says otherwise. */
export const defaultRestartMs = 1000;
