import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Interceptor, TestCluster } from '@ordinal/simulator';
import type { Invariant } from '@ordinal/explorer';

type Before = NonNullable<Interceptor['before']>;
type After = NonNullable<Interceptor['after']>;
type Request = Parameters<Before>[0];
type Reply = Parameters<After>[1];

/** How the API server says that the operator's webhooks refused something, or could not be asked. */
const byOurWebhook = /webhook "[a-z]+\.ordinal\.dev"/;

/** Where there is no such object any more, or another one of its name, nothing was refused. */
const isMissed = (status: number): boolean => status === 404 || status === 409;

const nameOf = (request: Request): string => ('name' in request ? (request.name ?? '') : '');

const storageOf = ({ resource: { group, plural } }: Request): string => (group === '' ? plural : `${plural}.${group}`);

const isDeletionOfPod = (request: Request): boolean =>
  storageOf(request) === 'pods' &&
  (request.verb === 'delete' || ('subresource' in request && request.subresource === 'eviction'));

/** Listens to what one cluster answers, and keeps what is wrong with it until it is reported. */
class Refusals {
  readonly #cluster: TestCluster;
  readonly #storage: string;
  /** The UID of the pod that was asked about, where that was ending already. */
  readonly #ending = new WeakMap<object, string>();
  #wrong: string | undefined;

  constructor(cluster: TestCluster, storage: string) {
    this.#cluster = cluster;
    this.#storage = storage;
    cluster.server.intercept?.({
      before: (request) => {
        const pod = isDeletionOfPod(request) ? this.#pod(request) : undefined;
        if (pod?.metadata.deletionTimestamp !== undefined) this.#ending.set(request, pod.metadata.uid);
        return undefined;
      },
      after: (request, reply) => {
        if (reply.status >= 400 && !isMissed(reply.status)) this.#wrong ??= this.#wrongWith(request, reply);
        return undefined;
      },
    });
  }

  /** What was wrong since the last time. */
  take(): string | undefined {
    const wrong = this.#wrong;
    this.#wrong = undefined;
    return wrong;
  }

  #wrongWith(request: Request, { status, body }: Reply): string | undefined {
    const said = String(body['message'] ?? '');
    const name = nameOf(request);
    if (storageOf(request) === this.#storage) {
      if (request.verb === 'delete') return `the deletion of ${name} was refused: ${said}`;
      const isGoing = this.#resource(request)?.metadata.deletionTimestamp !== undefined;
      return isGoing && byOurWebhook.test(said) ? `${name} is going, and its change was refused: ${said}` : undefined;
    }
    if (!isDeletionOfPod(request) || !byOurWebhook.test(said)) return undefined;
    if (status !== 429) return `the deletion of ${name} was refused with ${status}, after which no client tries again`;
    const was = this.#ending.get(request);
    return was !== undefined && this.#pod(request)?.metadata.uid === was
      ? `the deletion of ${name} was refused, which ended already`
      : undefined;
  }

  #pod(request: Request): Pod | undefined {
    const { namespace = '' } = request;
    return this.#cluster.objects.find(pods, namespace, nameOf(request));
  }

  #resource(request: Request) {
    const { namespace = '' } = request;
    return this.#cluster.server.store.get(this.#storage, `${namespace}/${nameOf(request)}`);
  }
}

/**
 * A deletion that is refused is refused at admission (I10), so that the client that asks learns it at once, and tries again: a member's by 429, and never one that is under way.
 * A resource's own is not refused, nor is the change of one that is going: its finalizers have to go. `storage` names the kind. Whichever client asks.
 */
export function refusalsAreAdmissions(storage: string): Invariant {
  const known = new WeakMap<TestCluster, Refusals>();
  const wrongIn = (cluster: TestCluster): string | undefined => {
    // A real API server can't be listened to in this way.
    if (!('intercept' in cluster.server)) return undefined;
    const refusals = known.get(cluster) ?? new Refusals(cluster, storage);
    known.set(cluster, refusals);
    return refusals.take();
  };
  return {
    name: 'a deletion that is refused is refused at admission, and a resource’s own never (I10)',
    afterChange: wrongIn,
    afterRequest: wrongIn,
    atEnd: wrongIn,
  };
}
