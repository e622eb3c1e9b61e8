import type { Instant } from '@ordinal/client';

/** Something that is to happen at a moment of the simulated world. */
export interface ScheduledEvent {
  readonly at: Instant;
  /** The order in which events were scheduled; it decides between events of the same moment. */
  readonly sequence: number;
  readonly label: string;
  readonly action: () => void;
  cancelled: boolean;
}

const isEarlier = (left: ScheduledEvent, right: ScheduledEvent): boolean =>
  left.at < right.at || (left.at === right.at && left.sequence < right.sequence);

/** Events in the order of their moments (a binary heap). Cancelled ones are skipped. */
export class EventQueue {
  private readonly heap: ScheduledEvent[] = [];

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

  /** The next event, left in the queue. */
  peek(): ScheduledEvent | undefined {
    while (this.heap[0]?.cancelled === true) this.removeFirst();
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
