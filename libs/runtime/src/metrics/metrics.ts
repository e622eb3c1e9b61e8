/** How a reconcile ended, in controller-runtime's words; `requeue` for one that was overtaken by a change and is tried again at once. */
export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after';

/** Who counts. Every method is called at the time that it names; durations are in seconds, as Prometheus has them. */
export interface RuntimeMetrics {
  /** There is a controller of that name: what it counts is 0 from now on, so that its first event is an increase. */
  controllerAdded(controller: string): void;
  reconciled(controller: string, outcome: ReconcileOutcome, seconds: number): void;
  reconcileTimedOut(controller: string): void;
  terminalError(controller: string): void;
  activeWorkers(controller: string, active: number, limit: number): void;
  queueAdded(controller: string): void;
  queueDepth(controller: string, depth: number): void;
  queueWaited(controller: string, seconds: number): void;
  queueRetried(controller: string): void;
  /** A key is woken again and again by what it writes itself, or asks to be looked at again at once, again and again. */
  hotLoop(controller: string): void;
  /** Work was put off because a cache did not show the key's own writes yet. */
  heldBack(controller: string): void;
  leading(name: string, leads: boolean): void;
  eventDropped(): void;
  /** How many calls to the outside are under way, and how many wait for a place. */
  outsideCalls(underWay: number, waiting: number): void;
  /** A call to the outside was not made: there was no place for it in time. */
  outsideRefused(): void;
  /** The API server has shown an older state than before. */
  restored(): void;
}

const nothing = (): void => undefined;

/** Counts nothing. */
export const noMetrics: RuntimeMetrics = {
  controllerAdded: nothing,
  reconciled: nothing,
  reconcileTimedOut: nothing,
  terminalError: nothing,
  activeWorkers: nothing,
  queueAdded: nothing,
  queueDepth: nothing,
  queueWaited: nothing,
  queueRetried: nothing,
  hotLoop: nothing,
  heldBack: nothing,
  leading: nothing,
  eventDropped: nothing,
  outsideCalls: nothing,
  outsideRefused: nothing,
  restored: nothing,
};
