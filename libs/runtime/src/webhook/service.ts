import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@ordinal/client';
import { messageOf } from '../cache/watch-failure.ts';
import { Deadline } from '../controller/deadline.ts';
import type { Logger } from '../reconciler.ts';
import { BodyReader, RequestRefused } from './body.ts';
import type { KnownConnection } from './connections.ts';
import type { ListenerLimits } from './limits.ts';
import type { WebhookMetrics } from './metrics.ts';
import { questionOf } from './question.ts';
import type { Question, Served } from './question.ts';
import { Quota } from './share.ts';
import { readTarget } from './target.ts';
import { weighJson } from './weigh.ts';

/** What requests are answered with. */
export interface WebhookServiceOptions {
  readonly webhooks: readonly Served[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WebhookMetrics | undefined;
  readonly maxInFlight: number;
  readonly limits: ListenerLimits;
}

interface Answer {
  readonly code: number;
  readonly body: unknown;
}

/** The webhook that a request is for, until when it is answered, and who asks. */
interface Asked {
  readonly webhook: Served;
  readonly deadline: Deadline;
  readonly connection: KnownConnection;
}

/** An answer needs so long to be back in time. */
const marginMs = 500;

/** Answers requests: reads them within bounds, has them judged in time, and says what is so where they can't be. */
export class WebhookService {
  readonly #options: WebhookServiceOptions;
  readonly #webhooks: ReadonlyMap<string, Served>;
  readonly #bodies: BodyReader;
  /** What the reviews take that are being judged. */
  readonly #judged: Quota;
  /** How many are being judged, by webhook. */
  readonly #inFlight: ReadonlyMap<Served, Quota>;
  readonly #idle: (() => void)[] = [];
  #answering = 0;
  /** Each connection ends with its next answer. */
  isClosing = false;

  constructor(options: WebhookServiceOptions) {
    this.#options = options;
    const { webhooks, limits, clock, maxInFlight } = options;
    this.#webhooks = new Map(webhooks.map((webhook) => [webhook.path, webhook]));
    if (this.#webhooks.size !== webhooks.length)
      throw new TypeError('two webhooks have the same path: give one of them another');
    this.#bodies = new BodyReader(limits, clock);
    this.#judged = new Quota(limits.maxJudgedBytes);
    this.#inFlight = new Map(webhooks.map((webhook) => [webhook, new Quota(webhook.maxInFlight ?? maxInFlight)]));
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    if (this.#answering > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Answers one request of a connection. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse, connection: KnownConnection): Promise<void> {
    this.#answering += 1;
    connection.isBusy = true;
    try {
      const { path, timeoutMs } = readTarget(request.url ?? '');
      const webhook = this.#webhooks.get(path);
      if (webhook === undefined || request.method !== 'POST')
        throw new RequestRefused(404, 'there is no webhook at this path');
      const answer = await this.#serve(request, { webhook, connection }, timeoutMs);
      const ending = this.isClosing ? { connection: 'close' } : {};
      respond(response, answer, ending);
    } catch (error) {
      this.#refuse(request, response, error);
    } finally {
      connection.isBusy = false;
      this.#answering -= 1;
      if (this.#answering === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  async #serve(
    request: IncomingMessage,
    { webhook, connection }: Omit<Asked, 'deadline'>,
    asksForMs: number,
  ): Promise<Answer> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.now();
    const timeoutMs = Math.max(0, Math.min(asksForMs, webhook.timeoutMs ?? usualTimeoutMs) - marginMs);
    const deadline = new Deadline(clock, timeoutMs, new AbortController().signal);
    let code = 500;
    try {
      const text = await this.#bodies.read(request, connection.address, timeoutMs);
      const answer = await this.#judge(text, { webhook, connection, deadline });
      ({ code } = answer);
      return answer;
    } catch (error) {
      if (error instanceof RequestRefused) ({ code } = error);
      throw error;
    } finally {
      deadline.clear();
      metrics?.answered(webhook.path, code, (clock.now() - startedAt) / 1000);
    }
  }

  /** Judges a request that is whole. Only from here on does it take of what there is for all. */
  async #judge(text: Buffer, asked: Asked): Promise<Answer> {
    const { webhook, deadline, connection } = asked;
    const { address } = connection;
    const weight = weightOf(text, this.#options.limits);
    const question = orRefused(() => questionOf(webhook, text));
    const inFlight = this.#inFlight.get(webhook);
    if (!inFlight?.take(address, 1)) return this.#undecided(question, webhook, 'there are too many requests at a time');
    const hasRoom = this.#judged.take(address, weight);
    this.#options.metrics?.inFlight(webhook.path, inFlight.total);
    connection.isAnswering = true;
    try {
      if (!hasRoom) return this.#undecided(question, webhook, 'there are too many large requests at a time');
      if (deadline.signal.aborted) throw new Error(tooLong);
      return { code: 200, body: await before(deadline.signal, question.answer(deadline.signal)) };
    } catch (error) {
      return this.#undecided(question, webhook, messageOf(error));
    } finally {
      connection.isAnswering = false;
      inFlight.give(address, 1);
      if (hasRoom) this.#judged.give(address, weight);
      this.#options.metrics?.inFlight(webhook.path, inFlight.total);
    }
  }

  #undecided(question: Question, webhook: Served, why: string): Answer {
    this.#options.log.error({ webhook: webhook.path, error: why }, 'a request could not be judged');
    return { code: 200, body: question.undecided(why) };
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const refused = error instanceof RequestRefused ? error : new RequestRefused(500, 'the request failed');
    // Everyone may send what is refused here, so that it makes no noise.
    this.#options.log.debug({ code: refused.code, error: messageOf(error) }, 'a request was refused');
    this.#options.metrics?.refused(refused.code);
    respond(response, { code: refused.code, body: { message: refused.message } }, { connection: 'close' });
    // What is still to come of it is not read.
    if (!request.complete) response.once('finish', () => request.socket.destroySoon());
  }
}

/** What the API server waits unless the configuration says otherwise. */
const usualTimeoutMs = 10_000;
const tooLong = 'it took too long';

function weightOf(text: Buffer, { maxJudgedBytes }: ListenerLimits): number {
  const weight = orRefused(() => weighJson(text));
  if (weight > maxJudgedBytes) throw new RequestRefused(413, 'the review has too many values');
  return weight;
}

function orRefused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RequestRefused(400, messageOf(error));
  }
}

function respond(response: ServerResponse, { code, body }: Answer, headers: Readonly<Record<string, string>>): void {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(text);
}

async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(tooLong)), { once: true });
    work.then(resolve, reject);
  });
}
