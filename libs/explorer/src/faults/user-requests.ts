import type { Instant } from '@ordinal/client';
import type { ApiRequest } from '@ordinal/simulator';
import { administrator } from '@ordinal/simulator';
import type { SimulatedCluster } from '@ordinal/simulator';

interface Asked {
  readonly at: Instant;
  readonly request: ApiRequest;
}

/** What a restore has taken away: what was written after its backup, until the restore itself. */
interface LostPart {
  readonly after: Instant;
  readonly until: Instant;
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
  /** What is to be asked for once more. */
  private readonly lost: Asked[] = [];
  private readonly waiting: (() => void)[] = [];
  /** Who asks now: what an earlier one has put off is not done any more. */
  private turn = 0;

  /** Listens from now on. */
  constructor(cluster: SimulatedCluster) {
    this.cluster = cluster;
    cluster.server.intercept({
      after: (request, { status }) => {
        const { user, verb } = request;
        const isUsers = user === undefined || user.name === administrator.name;
        if (status < 400 && isUsers && verb !== 'watch' && writes.has(verb) && request.subresource === undefined)
          this.asked.push({ at: cluster.clock.now(), request });
        return undefined;
      },
    });
  }

  /** etcd was restored. What was asked for in the part that is lost comes before what is still to be asked for since an earlier restore. */
  lose({ after, until }: LostPart): void {
    const isLost = ({ at }: Asked): boolean => at > after && at <= until;
    this.lost.unshift(...this.asked.filter(isLost));
    this.asked.splice(0, Infinity, ...this.asked.filter((asked) => !isLost(asked)));
    this.turn += 1;
  }

  /**
   * Asks once more, in order and half as fast, for all that is lost: what one request has led to is there before the next. What is refused is tried again for ten minutes. Calls `done` at the
   * end. A restore in the middle ends this: all is asked for from the first that is lost, when that is called for, and `done` is called then.
   */
  repeat(done: () => void): void {
    this.waiting.push(done);
    const turn = (this.turn += 1);
    const later = (delayMs: number, tries: number): void => {
      this.cluster.scheduler.schedule(delayMs, 'user', () => {
        if (turn === this.turn) next(tries);
      });
    };
    const next = (tries: number): void => {
      const [asked, following] = this.lost;
      if (asked === undefined) {
        for (const end of this.waiting.splice(0)) end();
        return;
      }
      if (!this.isGranted(asked.request) && tries < maxTries) return later(retryMs, tries + 1);
      this.lost.shift();
      later(following === undefined ? 0 : Math.max(0, following.at - asked.at) * slowness, 0);
    };
    next(0);
  }

  private isGranted(request: ApiRequest): boolean {
    const { status } = this.cluster.server.execute(timeless(request));
    return status < 400 || (request.verb === 'delete' && isGone(request, status));
  }
}

/** Whether a deletion that was refused has nothing left to delete: none of this name is there, or one with another UID than the request names. */
function isGone({ body }: ApiRequest, status: number): boolean {
  const { preconditions } = (body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return status === 404 || (status === 409 && preconditions?.uid !== undefined);
}

/** The request without the version of the object that it was decided on: that one is lost. */
function timeless(request: ApiRequest): ApiRequest {
  const { body, verb } = request;
  if (verb !== 'update') return request;
  const { metadata, ...rest } = body as { readonly metadata: { readonly resourceVersion?: string } };
  const { resourceVersion: _lost, ...others } = metadata;
  return { ...request, body: { ...rest, metadata: others } };
}
