import type { Instant } from '@ordinal/client';

/** Something that is to happen at a time of the simulated world. */
export interface ScheduledEvent {
  readonly at: Instant;
  /** The order in which events were scheduled; it decides between events of the same time. */
  readonly sequence: number;
  readonly label: string;
  /** What is to be done; undefined once it was cancelled, so that nothing is held by what will not happen. */
  action: (() => void) | undefined;
  /** Whether its action is a look, which answers whether anything came of it. */
  readonly isLook: boolean;
}

const isEarlier = (left: ScheduledEvent, right: ScheduledEvent): boolean =>
  left.at < right.at || (left.at === right.at && left.sequence < right.sequence);

/** Fewer cancelled events than this are not worth a new heap. */
const fewCancelled = 256;

/** Events in the order of their times (a binary heap). Cancelled ones are skipped, and thrown out when they are the most of the queue. */
export class EventQueue {
  private heap: ScheduledEvent[] = [];
  private cancelled = 0;

  /** Adds an event. */
  push(event: ScheduledEvent): void {
    const { heap } = this;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isEarlier(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  /** Cancels an event that is in the queue, or was. Most timers are deadlines that are cancelled long before their time. */
  cancel(event: ScheduledEvent): void {
    if (event.action === undefined) return;
    event.action = undefined;
    this.cancelled += 1;
    if (this.cancelled < fewCancelled || this.cancelled * 2 < this.heap.length) return;
    const left = this.heap.filter(({ action }) => action !== undefined);
    this.heap = [];
    this.cancelled = 0;
    for (const each of left) this.push(each);
  }

  /** The next event, left in the queue. */
  peek(): ScheduledEvent | undefined {
    while (this.heap.length > 0 && this.heap[0]?.action === undefined) {
      this.removeFirst();
      this.cancelled -= 1;
    }
    return this.heap[0];
  }

  /** Takes the next event out. */
  pop(): ScheduledEvent | undefined {
    const first = this.peek();
    if (first !== undefined) this.removeFirst();
    return first;
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [leftChild, rightChild] = [heap[left], heap[left + 1]];
      if (leftChild === undefined) break;
      const smaller = rightChild !== undefined && isEarlier(rightChild, leftChild) ? left + 1 : left;
      const child = smaller === left ? leftChild : rightChild;
      if (child === undefined || !isEarlier(child, last)) break;
      heap[index] = child;
      index = smaller;
    }
    heap[index] = last;
  }
}
