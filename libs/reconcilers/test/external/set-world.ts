import type { TestCluster } from '@ordinal/simulator';
import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import type { EventRecord } from '@ordinal/runtime';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { SimulatedCluster } from '@ordinal/simulator';
import type { Operator, OperatorStart } from '@ordinal/simulator';
import { ExternalError, noCleanupMetrics } from '@ordinal/lifecycle';
import { operatorName } from '@ordinal/constructs';
import { monitoredStatefulSetControllers } from '../../src/monitored-stateful-set/index.ts';
import { protectSets } from '../../src/monitored-stateful-set/disruption.ts';
import type { MonitorRequest, MonitorSystem, MonitorView } from '../../src/monitored-stateful-set/index.ts';
import { answered, asked, operator as operatorUser, register } from '../clustered-cache/drain-world.ts';
import { serveGate } from '../world/serve-gate.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';
import { definition } from './definition.ts';
import { FakeProvider } from './fake-provider.ts';
import type { ProviderProfile } from './fake-provider.ts';
import { fakeProviderSystem } from './fake-provider-system.ts';

const crd = definition('monitoredstatefulsets.statefulsets.example.com.yaml');

/** The two monitors of the simulation. */
export const endpoints = ['http://monitor-a.example', 'http://monitor-b.example'] as const;

/** Another URL of the first monitor. */
export const alias = 'http://monitor-a-too.example';

/** A cluster with an operator that runs the controllers of MonitoredStatefulSet, and two monitors. */
export interface SetWorld {
  readonly cluster: SimulatedCluster;
  readonly providers: readonly [FakeProvider, FakeProvider];
  readonly operator: Operator;
  readonly door: Door;
  readonly cleanup: Cleanup;
  /** What every member answers when it is asked whether one may go down, and, on the path `/role`, which one leads. */
  readonly gate: { isOpen: boolean; leader?: string };
  /** The failures of clean-ups that were counted, by their codes, in order. */
  readonly failures: string[];
  /** The events that were published, each time, with the virtual time. */
  readonly events: (Omit<EventRecord, 'regarding'> & { readonly at: number })[];
}

/** How runs of the image `cleanup:1` end, and how many have ended well. */
export interface Cleanup {
  isBroken: boolean;
  successes: number;
}

/** Which token each monitor was shown, and which it accepts; any, where nothing is said. */
export interface Door {
  readonly shown: { readonly endpoint: string; readonly token: string | undefined }[];
  readonly accepts: Map<string, string>;
}

/** The monitor behind its door. */
function behind(
  system: MonitorSystem,
  endpoint: string,
  { door, token }: { door: Door; token: string | undefined },
): MonitorSystem {
  const enter = <T>(call: () => Promise<T>): Promise<T> => {
    door.shown.push({ endpoint, token });
    const accepted = door.accepts.get(endpoint);
    if (accepted === undefined || accepted === token) return call();
    return Promise.reject(new ExternalError('Unauthorized', 'HTTP 401', { applied: 'no' }));
  };
  return {
    traits: system.traits,
    get: (id, signal) => enter(() => system.get(id, signal)),
    findByOwner: (owner, signal) => enter(() => system.findByOwner(owner, signal)),
    create: (request, signal) => enter(() => system.create(request, signal)),
    update: (id, change, signal) => enter(() => system.update(id, change, signal)),
    delete: (request, signal) => enter(() => system.delete(request, signal)),
  };
}

/** How a world is made. */
export interface SetWorldOptions {
  /** The API server asks the operator before pods are deleted or evicted. */
  readonly isGated?: boolean;
  /** People whose request the operator does not answer in time are refused, as by another replica that can’t tell. By default the API server lets them pass. */
  readonly isRefusing?: boolean;
  /** How many nodes there are. One by default. */
  readonly nodes?: number;
  /** The operator that runs, in place of this one. */
  readonly instead?: (start: OperatorStart, cluster: SimulatedCluster) => OperatorStart;
}

/** The gate that an operator of sets answers with. */
const serveSetGate = serveGate({ controller: 'monitored-stateful-set', protect: protectSets });

const setOperator =
  (
    profile: ProviderProfile,
    { door, events, failures, cluster }: Pick<SetWorld, 'door' | 'events' | 'failures' | 'cluster'>,
    { isGated = false }: SetWorldOptions,
  ): OperatorStart =>
  async (environment) => {
    const client = clientOf(environment);
    const publish = ({ regarding: _, ...event }: EventRecord): void =>
      void events.push({ ...event, at: cluster.clock.now() });
    const probes = probesOf(environment, client);
    const manager = managerOf(environment, client, { events: { publish } });
    const monitors = {
      at: (endpoint: string, token: string | undefined) =>
        behind(fakeProviderSystem<MonitorRequest, MonitorView>(endpoint, profile, environment), endpoint, {
          door,
          token,
        }),
    };
    const metrics = { ...noCleanupMetrics, failed: (_kind: string, code: string) => void failures.push(code) };
    for (const controller of monitoredStatefulSetControllers({ monitors, seals, probes, metrics }))
      manager.add(controller);
    if (isGated) serveSetGate({ manager, client, probes, environment });
    return start(manager);
  };

/** Who the operator is for the API server. */
const operatorAccount = {
  name: operatorUser,
  groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** How long another replica would take to say that it can't tell, in milliseconds: the API server waits five seconds. */
const unansweredMs = 4_500;

/** What the API server is answered: what the operator says. */
async function answerTo(
  cluster: SimulatedCluster,
  body: string,
  { isRefusing = false }: SetWorldOptions,
): Promise<Answer> {
  const { uid, userInfo } = readReview(body);
  const ask = async (): Promise<Answer> => {
    const reply = await cluster.http(answered, { method: 'POST', body });
    return { status: reply.status, body: await reply.text() };
  };
  if (!isRefusing || userInfo.username?.startsWith('system:') === true) return ask();
  const verdict = { allowed: false, code: 429, reason: 'TooManyRequests', message: 'no replica answers' } as const;
  const refusal = { status: 200, body: JSON.stringify(reviewReply(uid, verdict)) };
  const late = new Promise<Answer>((resolve) => void cluster.clock.after(unansweredMs, () => resolve(refusal)));
  return Promise.race([late, ask().catch(() => refusal)]);
}

/** Builds the world. Nothing moves before the cluster runs. Images `app:1` to `app:3` start in 3 s; `cleanup:1` takes 5 s. */
export async function setWorld(
  seed: number,
  profile: ProviderProfile,
  options: SetWorldOptions = {},
): Promise<SetWorld> {
  const cluster = await SimulatedCluster.start({
    crds: [crd],
    seed,
    nodes: options.nodes ?? 1,
    events: false,
    endpoints: false,
    namespaces: ['team'],
  });
  const gate: SetWorld['gate'] = { isOpen: true };
  for (const version of ['1', '2', '3'])
    cluster.image(`app:${version}`, {
      startsIn: 3_000,
      http: ({ url }, { pod }) =>
        url.pathname === '/role' ? { status: 200, body: pod === gate.leader ? 'leader' : '' } : gate.isOpen ? 200 : 503,
      ...(options.isGated === true ? { stopsIn: 1_000 } : {}),
    });
  const cleanup: Cleanup = { isBroken: false, successes: 0 };
  cluster.image('cleanup:1', {
    run: ({ clock }) =>
      new Promise<number>((resolve) => {
        clock.after(5_000, () => {
          if (!cleanup.isBroken) cleanup.successes += 1;
          resolve(cleanup.isBroken ? 1 : 0);
        });
      }),
  });
  const providers = [new FakeProvider(cluster.clock, profile), new FakeProvider(cluster.clock, profile)] as const;
  endpoints.forEach((origin, index) => cluster.external(origin, providers[index === 0 ? 0 : 1].handle));
  cluster.external(alias, providers[0].handle);
  const door: Door = { shown: [], accepts: new Map() };
  const events: SetWorld['events'] = [];
  const failures: string[] = [];
  const start = setOperator(profile, { door, events, failures, cluster }, options);
  const operator = cluster.operator('ordinal', options.instead?.(start, cluster) ?? start, operatorAccount);
  if (options.isGated === true) {
    cluster.external(asked, ({ body }) => answerTo(cluster, body ?? '', options));
    await register(cluster, { name: operatorName });
  }
  return { cluster, providers, door, cleanup, gate, events, failures, operator };
}

/** A MonitoredStatefulSet to create. */
export function monitoredSet(
  name: string,
  spec: Partial<MonitoredStatefulSetInput['spec']> = {},
): MonitoredStatefulSetInput {
  return {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name, namespace: 'team' },
    spec: {
      monitorEndpoint: endpoints[0],
      statefulSetSpec: {
        replicas: 2,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
      ...spec,
    },
  };
}

/** The MonitoredStatefulSet as it is now. */
export function setNow(cluster: TestCluster, name: string): MonitoredStatefulSet | undefined {
  return cluster.objects.find(monitoredStatefulSets, 'team', name);
}
