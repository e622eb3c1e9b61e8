import { describe, expect, it } from 'vitest';
import { Inbox } from './inbox.ts';
import { Queue } from './queue.ts';

function source() {
  const asked: string[] = [];
  return { asked, pause: () => void asked.push('pause'), resume: () => void asked.push('resume') };
}

describe('an inbox', () => {
  it('holds its source back while nothing reads, whatever the messages’ size, and resumes it at half', async () => {
    for (const size of [0, 1, 32_768]) {
      const { asked, ...channel } = source();
      const inbox = new Inbox(channel);
      let kept = 0;
      for (; asked.length === 0; kept += 1) inbox.push(new Uint8Array(size));
      expect(kept * (size + 128)).toBeLessThan(300_000);
      const messages = inbox.read(() => undefined);
      let taken = 0;
      for (; asked.length === 1; taken += 1) await messages.next();
      expect(asked).toEqual(['pause', 'resume']);
      expect(taken).toBeGreaterThanOrEqual(kept / 2);
    }
  });

  it('gives what came before a failure, and then the failure', async () => {
    const inbox = new Inbox(source());
    inbox.push(Uint8Array.of(1));
    inbox.end(new Error('broken'));
    const messages = inbox.read(() => undefined);
    expect(await messages.next()).toEqual({ done: false, value: Uint8Array.of(1) });
    await expect(messages.next()).rejects.toThrow('broken');
  });

  it('keeps nothing once its reader has left, and tells of that once', async () => {
    let left = 0;
    const inbox = new Inbox(source());
    inbox.push(Uint8Array.of(1));
    const messages = inbox.read(() => (left += 1));
    await messages.next();
    await messages.return();
    inbox.push(Uint8Array.of(2));
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    expect(left).toBe(1);
  });
});

it('a queue gives its entries in the order in which they came', () => {
  const queue = new Queue<number>();
  const taken: (number | undefined)[] = [];
  for (let count = 0; count < 9; count += 1) {
    queue.push(count);
    if (count % 3 === 2) taken.push(queue.take());
  }
  while (taken.length < 10) taken.push(queue.take());
  expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, undefined]);
});
