import type { Instant, KubernetesObject, Pod } from '@ordinal/client';
import { controllerOf, instantOf, pods, statefulSets } from '@ordinal/client';
import type { ContainerProcess, ImageProgram, SimulatedReply, SimulatedRequest, TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import type { After, Behaviour, MemberBehaviour } from './behaviour.ts';
import type { MemberAnswer } from '../checks/ask-members.ts';
import type { AskedCheck } from '../checks/checks.ts';
import { checksOf, closedGateOf, roleLabelOf } from '../checks/checks.ts';
import type { KnownProvider, Refusals } from './databases.ts';
import { isReady } from '../checks/is-ready.ts';
import { Leaders } from './leaders.ts';
import type { Broken, Learnt } from './learn.ts';
import { unlearnt } from './learn.ts';
import type { KnownMonitor } from './monitors.ts';
import type { ResourceQuota } from './quotas.ts';
import { playedKinds } from './seed.ts';
import type { KnownWebhook } from './webhooks.ts';

/** What members of a simulated cluster go by. */
export interface Known {
  readonly at: Instant;
  readonly behaviour: Behaviour;
  readonly learnt: readonly Learnt[];
  readonly broken: ReadonlyMap<string, Broken>;
  /** The pods that were there, by UID. */
  readonly pods: ReadonlyMap<string, Pod>;
  readonly quotas: readonly ResourceQuota[];
  readonly webhooks: readonly KnownWebhook[];
  readonly providers: readonly KnownProvider[];
  readonly monitors: readonly KnownMonitor[];
  readonly refusals: Refusals;
  /** What the members have said that were there, when they were asked. */
  readonly answers: readonly MemberAnswer[];
  /** The resources as they were. */
  readonly resources: readonly OrdinalResource[];
}

const jobLabel = 'batch.kubernetes.io/job-name';
const never = new Promise<never>(() => undefined);

/** How long a Job takes where it was not said, in milliseconds. */
export const jobTakesMs = 1_000;

/** A pod that has not been ready for this many times as long as others take does not get ready by itself. */
const patience = 3;

const byName = <T>(map: Readonly<Record<string, T>>, name: string): T | undefined => map[name] ?? map['*'];

/** What the pods of a simulated cluster do: members as those that were seen, or as the user says. One for each cluster. */
export class Members {
  readonly #cluster: TestCluster;
  readonly #known: Known;
  readonly #leaders: Leaders;

  constructor(cluster: TestCluster, known: Known) {
    this.#cluster = cluster;
    this.#known = known;
    this.#leaders = new Leaders(cluster, known, (name, namespace) => this.#resource(name, namespace));
    for (const pod of known.pods.values()) this.#install(pod);
    cluster.server.store.subscribe(({ kind, after, before }) => {
      if (kind === 'pods' && before === undefined) this.#install(after as Pod); // Of this kind.
    });
  }

  /** Has the members of a resource show who leads, as they did before what is played. */
  elect(resource: OrdinalResource): void {
    if (roleLabelOf(resource)) this.#leaders.of(resource);
  }

  /** Gives the images of a pod their programs. */
  #install(pod: Pod): void {
    const { startsAfter } = this.#learnt(pod);
    for (const { image = '' } of pod.spec.containers) {
      const said = this.#known.behaviour.images[image];
      const pull = said?.pull === 'fails' || this.#known.broken.get(image) === 'pull' ? 'fail' : said?.pull;
      this.#cluster.image(image, { ...this.#program, pull: pull ?? startsAfter, ...this.#stops(pod, image) });
    }
  }

  readonly #program: ImageProgram = {
    ready: (process) => this.#isReady(process),
    http: (request, process) => this.#http(request, process),
    exec: (command, process) => this.#exec(command, process),
    run: (process) => this.#run(process),
  };

  #stops({ metadata }: Pod, image: string): Pick<ImageProgram, 'stopsIn'> {
    const { images, members } = this.#known.behaviour;
    const stopsIn = members[metadata.name]?.stopsAfter ?? images[image]?.stopsAfter ?? members['*']?.stopsAfter;
    return stopsIn === undefined ? {} : { stopsIn };
  }

  #learnt(pod: KubernetesObject): Learnt {
    const set = controllerOf(pod)?.name ?? '';
    return this.#known.learnt.find((each) => each.set === set) ?? unlearnt(set);
  }

  /** When it gets ready, from the start of its container. */
  #readyAfter({ pod, image, podUid, namespace, startedAt }: ContainerProcess): After {
    const { behaviour, broken, pods: seen, at } = this.#known;
    const { members, images } = behaviour;
    const said = [members[pod], images[image], members['*']].find(
      (each): each is MemberBehaviour => each?.readyAfter !== undefined,
    );
    if (said?.readyAfter !== undefined) return said.readyAfter;
    if (broken.get(image) === 'start') return 'never';
    const found = this.#cluster.objects.find(pods, namespace, pod);
    const { readyAfter } = found ? this.#learnt(found) : unlearnt('');
    const before = seen.get(podUid);
    if (before === undefined || startedAt > at) return readyAfter;
    if (isReady(before)) return 0;
    const since = instantOf(before.status?.startTime) ?? at;
    return at - since > patience * readyAfter + 60_000 ? 'never' : readyAfter;
  }

  #isReady(process: ContainerProcess): boolean {
    const after = this.#readyAfter(process);
    return after !== 'never' && process.clock.now() - process.startedAt >= after - this.#slack(process);
  }

  /** The pods that were seen got ready at one of their probes: half the time between two is within what can be known. */
  #slack({ pod, namespace, container }: ContainerProcess): number {
    const found = this.#cluster.objects.find(pods, namespace, pod);
    const probe = found?.spec.containers.find(({ name }) => name === container)?.readinessProbe;
    return probe ? (probe.periodSeconds ?? 10) * 500 : 0;
  }

  async #run({ labels, clock }: ContainerProcess): Promise<number> {
    const job = labels[jobLabel];
    if (job === undefined) return never;
    const { takes = jobTakesMs, ends } = byName(this.#known.behaviour.jobs, job) ?? {};
    await new Promise<void>((resolve) => void clock.after(takes, resolve));
    return ends === 'fails' ? 1 : 0;
  }

  #resource(name: string, namespace: string): OrdinalResource | undefined {
    for (const descriptor of playedKinds) {
      const found = this.#cluster.objects.find(descriptor, namespace, name);
      if (found) return found;
    }
    return undefined;
  }

  /** The resource that a process is a member of: its StatefulSet has the same name. */
  #resourceOf({ pod, namespace }: ContainerProcess): OrdinalResource | undefined {
    const set = controllerOf(this.#cluster.objects.find(pods, namespace, pod) ?? { metadata: {} as never })?.name ?? '';
    return this.#cluster.objects.find(statefulSets, namespace, set) && this.#resource(set, namespace);
  }

  #http({ url }: SimulatedRequest, process: ContainerProcess): SimulatedReply {
    const resource = this.#resourceOf(process);
    const check = (resource ? checksOf(resource) : []).find(
      ({ path, port }) => path === url.pathname && (port === undefined || String(port) === (url.port || '80')),
    );
    if (!resource || !check) return this.#isReady(process) ? 200 : 503;
    const reply = this.#said(check, process)?.reply;
    if (reply) return reply;
    const { ok, body } = this.#answer(check, resource, process);
    return { status: ok || check.metric ? 200 : 503, body };
  }

  #exec(command: readonly string[], process: ContainerProcess): { readonly exitCode: number; readonly stdout: string } {
    const resource = this.#resourceOf(process);
    const check = (resource ? checksOf(resource) : []).find((each) => each.command?.join('\0') === command.join('\0'));
    if (!resource || !check) return { exitCode: this.#isReady(process) ? 0 : 1, stdout: '' };
    const { ok, body } = this.#answer(check, resource, process);
    return { exitCode: ok ? 0 : 1, stdout: body };
  }

  #answer(
    check: AskedCheck,
    resource: OrdinalResource,
    process: ContainerProcess,
  ): { readonly ok: boolean; readonly body: string } {
    const { role, metric, leaderValue = 'leader' } = check;
    const leads = this.#leaders.of(resource) === process.pod;
    if (role === 'role') return { ok: true, body: leads ? leaderValue : 'follower' };
    const ok = this.#isOpen(check, resource, process.pod);
    if (role === 'handoff' && ok) this.#leaders.handOff(resource, process.pod);
    const labels = Object.entries(metric?.labels ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const value = metric && (ok ? Math.min(metric.max, 0) : metric.max + 1);
    const body = metric ? `${metric.name}{${labels.join(',')}} ${value}\n` : '';
    return { ok, body };
  }

  /** What a member has said that was there when it was asked. It says so again, unless the user knows better. */
  #said({ name, role }: AskedCheck, { podUid }: ContainerProcess): MemberAnswer['said'] {
    // A role passes on.
    if (role === 'role' || this.#known.behaviour.gates[name] !== undefined) return undefined;
    return this.#known.answers.find(({ check, uid }) => check.name === name && uid === podUid)?.said;
  }

  /** Open, unless the user says otherwise, or the resource waited for it when it was read and no member could be asked. */
  #isOpen({ name }: AskedCheck, { kind, metadata }: OrdinalResource, member: string): boolean {
    const { behaviour, at, resources, answers } = this.#known;
    const said = behaviour.gates[name];
    const wasAsked = answers.some((each) => each.said && each.check.name === name && each.of === metadata.name);
    const before = resources.find((each) => each.kind === kind && each.metadata.name === metadata.name);
    const last = !wasAsked && before && closedGateOf(before) === name ? 'closed' : 'open';
    const answer = (typeof said === 'object' ? byName(said, member) : said) ?? last;
    return typeof answer === 'number' ? this.#cluster.clock.now() - at >= answer : answer === 'open';
  }
}
