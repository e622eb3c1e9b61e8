import type { Instant } from '@ordinal/client';
import type { ApiRequest } from '@ordinal/simulator';
import { administrator } from '@ordinal/simulator';
import type { SimulatedCluster } from '@ordinal/simulator';

interface Asked {
  readonly at: Instant;
  readonly request: ApiRequest;
}

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete']);
const retryMs = 1000;
const maxTries = 600;
/** How much longer a user waits between two requests that are repeated than between the first ones. */
const slowness = 2;

/**
 * What the user of a history has asked for and got, so that it can be asked for once more when it is lost: what a person does after a restore, or the tool that
 * applies what is written in a repository.
 */
export class UserRequests {
  private readonly cluster: SimulatedCluster;
  private readonly asked: Asked[] = [];
  private readonly takeOut: () => void;

  /** Listens from now on. */
  constructor(cluster: SimulatedCluster) {
    this.cluster = cluster;
    this.takeOut = cluster.server.intercept({
      after: (request, { status }) => {
        const { user, verb } = request;
        const isUsers = user === undefined || user.name === administrator.name;
        if (status < 400 && isUsers && verb !== 'watch' && writes.has(verb) && request.subresource === undefined)
          this.asked.push({ at: cluster.clock.now(), request });
        return undefined;
      },
    });
  }

  /**
   * Asks once more, in order and half as fast, for all that was asked for after a time: what one request has led to is there before the next. What is refused is
   * tried again for ten minutes. Calls `done` at the end.
   */
  repeat(after: Instant, done: () => void): void {
    const lost = this.asked.filter(({ at }) => at > after);
    this.asked.splice(0, Infinity, ...this.asked.filter(({ at }) => at <= after));
    const later = (delayMs: number, tries: number): void => {
      this.cluster.scheduler.schedule(delayMs, 'user', () => next(tries));
    };
    const next = (tries: number): void => {
      const [asked, following] = lost;
      if (asked === undefined) return done();
      if (!this.isGranted(asked.request) && tries < maxTries) return later(retryMs, tries + 1);
      lost.shift();
      later(following === undefined ? 0 : (following.at - asked.at) * slowness, 0);
    };
    next(0);
  }

  /** Listens no more. */
  stop(): void {
    this.takeOut();
  }

  private isGranted(request: ApiRequest): boolean {
    const { status } = this.cluster.server.execute(timeless(request));
    return status < 400 || (request.verb === 'delete' && status === 404);
  }
}

/** The request without the version of the object that it was decided on: that one is lost. */
function timeless(request: ApiRequest): ApiRequest {
  const { body, verb } = request;
  if (verb !== 'update') return request;
  const { metadata, ...rest } = body as { readonly metadata: { readonly resourceVersion?: string } };
  const { resourceVersion: _lost, ...others } = metadata;
  return { ...request, body: { ...rest, metadata: others } };
}
