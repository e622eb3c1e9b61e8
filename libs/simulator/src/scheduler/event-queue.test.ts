import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';
import type { ScheduledEvent } from './event-queue.ts';

const event = (at: number, sequence: number): ScheduledEvent => ({
  at,
  sequence,
  label: 'test',
  action: () => undefined,
  isLook: false,
});

const drain = (queue: EventQueue): readonly number[] => {
  const sequences: number[] = [];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) sequences.push(next.sequence);
  return sequences;
};

describe('the queue of events', () => {
  it('keeps its order when most of its events are cancelled', () => {
    const queue = new EventQueue();
    const events = Array.from({ length: 2000 }, (_, index) => event((index * 7919) % 100, index));
    for (const each of events) queue.push(each);
    const kept = events.filter(({ sequence }) => sequence % 10 === 3);
    for (const each of events) if (!kept.includes(each)) queue.cancel(each);
    const expected = [...kept].sort((left, right) => left.at - right.at || left.sequence - right.sequence);
    expect(drain(queue)).toEqual(expected.map(({ sequence }) => sequence));
  });

  it('holds nothing of an event that was cancelled', () => {
    const queue = new EventQueue();
    const cancelled = event(1, 1);
    queue.push(cancelled);
    queue.cancel(cancelled);
    expect(cancelled.action).toBeUndefined();
  });
});
