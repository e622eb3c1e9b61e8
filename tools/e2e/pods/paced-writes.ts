// What the loads on stores have in common: the pace, what is counted, and the answers over HTTP.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** 500 writes a second. */
const everyMs = 2;
/** How long a write may take that is under way when the load is to end. */
const lastWritesMs = 60_000;
/** What is longer is logged. */
const longGapMs = 500;

const refusals: Record<string, number> = {};

/** Counts why something was refused. */
export function note(error: unknown): void {
  const word = error instanceof Error ? error.message.replace(/[0-9.:]+/g, '').slice(0, 60) : String(error);
  refusals[word] = (refusals[word] ?? 0) + 1;
}

/** How a store is written to. */
interface Load {
  /** How many writes wait for an answer at a time: one alone would wait for several disks before the next. */
  readonly writers: number;
  /** Writes this number, as one of the writers. Rejects where it is not acknowledged: it is tried again then. */
  readonly write: (number: number, writer: number) => Promise<void>;
  /** How many of the acknowledged numbers are not there. */
  readonly countLost: (acknowledged: ReadonlySet<number>) => Promise<number>;
  /** What else is in an answer. */
  readonly more?: () => Promise<object>;
}

/** Writes, each number until it is acknowledged, and answers what has been counted. `/reset` begins a new span, `/finish` ends the load and reads everything back. */
export function run({ writers, write, countLost, more }: Load): void {
  const startedAt = performance.now();
  const acknowledged = new Set<number>();
  let next = 0;
  let due = 0;
  let deadline = Number.POSITIVE_INFINITY;
  let running = true;
  let lastAck = Number.POSITIVE_INFINITY;
  let longestGapMs = 0;
  let longestWaitMs = 0;

  async function insist(number: number, writer: number): Promise<void> {
    for (;;)
      try {
        await write(number, writer);
        return;
      } catch (error) {
        note(error);
        if (performance.now() > deadline) throw error;
        await sleep(5);
      }
  }

  /** One of those that write: they share the numbers and the pace. */
  async function writeAll(writer: number): Promise<void> {
    while (running) {
      const begun = performance.now();
      // The pace is kept on the average; what a break has cost is not made up for.
      due = Math.max(due + everyMs, begun - 10 * everyMs);
      if (due - begun >= 1) await sleep(Math.floor(due - begun));
      if (!running) return;
      const sentAt = performance.now();
      const number = next;
      next += 1;
      await insist(number, writer);
      const now = performance.now();
      acknowledged.add(number);
      const gapMs = Math.max(0, now - lastAck);
      // For whom looks in the members' logs what it was.
      if (gapMs > longGapMs)
        console.log(`${new Date().toISOString()} no write was acknowledged for ${gapMs.toFixed(0)} ms`);
      longestGapMs = Math.max(longestGapMs, gapMs);
      longestWaitMs = Math.max(longestWaitMs, now - sentAt);
      lastAck = now;
    }
  }

  /** What has been counted. A gap that is not over yet counts as well. */
  const counts = () => ({
    acknowledged: acknowledged.size,
    longestGapMs: Math.max(longestGapMs, performance.now() - lastAck),
    longestWaitMs,
    refusals,
  });

  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => writeAll(writer)));
  createServer((incoming, response) => {
    const answer = async (): Promise<object> => {
      const seconds = (performance.now() - startedAt) / 1000;
      if (incoming.url === '/finish') {
        running = false;
        deadline = performance.now() + lastWritesMs;
        await writing;
        return { ...counts(), lost: await countLost(acknowledged), seconds };
      }
      const found = { ...counts(), seconds };
      if (incoming.url === '/reset') longestGapMs = longestWaitMs = 0;
      return { ...found, ...(await more?.()) };
    };
    answer().then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(8000);
}
