import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until, type Resource } from '../kubernetes.ts';
import { redisImages } from '../redis.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

/** One resource of a scenario. */
interface Place {
  readonly world: World;
  readonly namespace: string;
  readonly kind: 'kvstorecluster' | 'clusteredcache';
  readonly name: string;
}

const server = {
  command: ['redis-server', '--save', '', '--protected-mode', 'no'],
  readinessProbe: { exec: { command: ['redis-cli', 'ping'] }, periodSeconds: 1 },
};
const containerOf = (name: string): object => ({
  spec: { terminationGracePeriodSeconds: 2, containers: [{ name, ...server }] },
});
const job = (line: string): object => ({ command: ['sh', '-c', line], retries: 0, deadline: '1m' });
const overtaking = redisImages.later.split(':')[1] ?? '';

/** What comes between: another version in the middle of an upgrade, a Job that fails and is corrected, a reduction by hand, a lost member, a leader that no member takes over from. */
export async function interruptedScenarios(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: changes in the middle, and Jobs that fail', () =>
    inNamespace(world, 'e2e-interrupted', (namespace) =>
      interruptedStore({ world, namespace, kind: 'kvstorecluster', name: 'carts' }),
    ),
  );
  await world.report.scenario('ClusteredCache: a failure that stops, and followers only', () =>
    inNamespace(world, 'e2e-stopped', async (namespace) => {
      await stoppedCache({ world, namespace, kind: 'clusteredcache', name: 'sessions' });
      await followersOnly({ world, namespace, kind: 'clusteredcache', name: 'replicas' });
    }),
  );
}

const change = ({ world, namespace, kind, name }: Place, spec: object): Promise<string> =>
  world.kubernetes.kubectl([
    ...['patch', kind, name, '-n', namespace, '--type=merge'],
    `--patch=${JSON.stringify({ spec })}`,
  ]);

const podsOf = ({ world, namespace, name }: Place): Promise<readonly Resource[]> =>
  world.kubernetes.list('pods', namespace, `app.kubernetes.io/instance=${name},!ordinal.dev/purpose`);

const now = ({ world, namespace, kind, name }: Place): Promise<Resource> => world.kubernetes.get(kind, name, namespace);

const tagOf = (pod: Resource): string => String(pod.spec?.containers?.[0]?.image).split(':')[1] ?? '';

/** Waits until the members run these tags, in order, and all serve. */
async function untilRun(place: Place, tags: readonly string[]): Promise<void> {
  await until(`the members run ${tags.join(' ')}`, 180, async () => {
    const pods = await podsOf(place);
    const serve = pods.filter((pod) => conditionOf(pod, 'Ready').status === 'True');
    if (serve.length === tags.length && serve.map(tagOf).join() === tags.join()) return true;
    throw new Error(`${pods.map(tagOf).join(' ')} ${JSON.stringify((await now(place)).status?.upgrade)}`);
  });
}

/** Deletes a member past all gates, as a lost node does, and returns the tag that the next pod of its name runs. */
async function replaced(place: Place, pod: string): Promise<string> {
  const { kubernetes } = place.world;
  const { uid } = (await kubernetes.get('pod', pod, place.namespace)).metadata;
  const opened = `ordinal.dev/open-gates=${uid ?? ''}`;
  await kubernetes.kubectl(['annotate', place.kind, place.name, '-n', place.namespace, opened, '--overwrite']);
  await until(`the deletion of ${pod} is allowed`, 60, async () => {
    await kubernetes.kubectl(['delete', 'pod', pod, '-n', place.namespace, '--wait=false']);
    return true;
  });
  return until(`another ${pod}`, 60, async () => {
    const found = await kubernetes.find('pod', pod, place.namespace);
    return found !== undefined && found.metadata.uid !== uid && tagOf(found);
  });
}

const untilEvent = ({ world, namespace, name }: Place, reason: string): Promise<string> =>
  until(`an event ${reason}`, 60, () => {
    const selector = `--field-selector=reason=${reason},involvedObject.name=${name}`;
    return world.kubernetes
      .kubectl(['get', 'events', '-n', namespace, selector, '-o', 'name'])
      .then((found) => found.trim() || undefined);
  });

async function interruptedStore(place: Place): Promise<void> {
  const { kubernetes, report } = place.world;
  await report.step('three members with volumes run Redis 7.0', async () => {
    await kubernetes.apply({
      apiVersion: 'kvstore.example.com/v1',
      kind: 'KVStoreCluster',
      metadata: { name: place.name, namespace: place.namespace },
      spec: {
        ...{ version: '7', replicas: 3, image: 'docker.io/e2e/redis', deletionPolicy: 'Delete' },
        storage: { className: 'standard', size: '1Gi' },
        // No member is upgraded without a command: the first one waits for its promotion.
        ...{ upgradeStrategy: 'Canary', canary: { replicas: 1, promotion: 'Manual' } },
        upgrade: { gates: [{ name: 'open', target: 'All', exec: { command: ['test', '!', '-e', '/data/closed'] } }] },
        scaleDown: { before: job('echo no room; exit 1') },
        podTemplate: containerOf('kvstore'),
      },
    });
    await untilReady(place.world, place, 120);
  });
  await overtaken(place);
  await correctedJobs(place);
  await reducedByHand(place);
}

/** Row 7 of issue 26. */
async function overtaken(place: Place): Promise<void> {
  await place.world.report.step(
    'a member that runs Redis 8.0 comes back as that, while a third version waits',
    async () => {
      await change(place, { version: '8' });
      await untilRun(place, ['7', '7', '8']);
      await change(place, { upgrade: { paused: true } });
      await change(place, { version: overtaking });
      await sleep(5_000);
      check((await replaced(place, 'carts-2')) === '8', 'it came back as another version');
      await untilRun(place, ['7', '7', '8']);
    },
  );
  await place.world.report.step('and all run the third one, when it is no longer paused', async () => {
    await change(place, { upgradeStrategy: 'RollingUpdate', canary: null, upgrade: { paused: false } });
    await untilRun(place, [overtaking, overtaking, overtaking]);
    await untilReady(place.world, place, 60);
  });
}

/** Rows 9 and 10. */
async function correctedJobs(place: Place): Promise<void> {
  const { report } = place.world;
  await report.step(
    'the Job before a reduction fails: phase, condition and event say so, and no member goes',
    async () => {
      await change(place, { replicas: 2 });
      await until('it has failed', 120, async () => {
        const store = await now(place);
        const degraded = conditionOf(store, 'Degraded');
        if (store.status?.phase === 'Failed' && degraded.reason === 'ScaleDownFailed') return true;
        throw new Error(JSON.stringify({ phase: store.status?.phase, degraded }));
      });
      await untilEvent(place, 'ScaleDownFailed');
      check((await podsOf(place)).length === 3, 'a member has gone');
    },
  );
  await report.step('corrected, it is tried again without another word', async () => {
    await change(place, { scaleDown: { before: job('echo room') } });
    await untilRun(place, [overtaking, overtaking]);
    await untilReady(place.world, place, 60);
  });
  await report.step('the same of the Job before the first member of an upgrade', async () => {
    await change(place, { version: '8', upgrade: { beforeFirstPod: job('echo no; exit 1') } });
    await untilEvent(place, 'UpgradeFailed');
    check(
      (await podsOf(place)).every((pod) => tagOf(pod) === overtaking),
      'a member was replaced',
    );
    await change(place, { upgrade: { beforeFirstPod: job('echo yes') } });
    await untilRun(place, ['8', '8']);
    await untilReady(place.world, place, 60);
  });
}

/** Row 8. */
async function reducedByHand(place: Place): Promise<void> {
  const { kubernetes, report } = place.world;
  const { namespace } = place;
  await report.step(
    'a reduction waits for its gate, and kubectl scale statefulset takes no member past it',
    async () => {
      await change(place, { replicas: 3 });
      await untilRun(place, ['8', '8', '8']);
      await untilReady(place.world, place, 60);
      await kubernetes.exec(namespace, 'carts-0', 'touch /data/closed');
      const before = (await podsOf(place)).map(({ metadata }) => metadata.uid).join();
      await change(place, { replicas: 1 });
      await until('it waits', 60, async () => (await now(place)).status?.shrinkingFrom === 3);
      await kubernetes.kubectl(['scale', 'statefulset', place.name, '-n', namespace, '--replicas=1']);
      await sleep(15_000);
      const kept = await podsOf(place);
      check(kept.map(({ metadata }) => metadata.uid).join() === before, `${kept.length} members are the same`);
      check(
        kept.every(({ metadata }) => metadata.deletionTimestamp === undefined),
        'one of them is ending',
      );
    },
  );
  await report.step('and they go one at a time when it opens', async () => {
    await kubernetes.exec(namespace, 'carts-0', 'rm /data/closed');
    await until('one member is left', 120, async () => {
      const pods = await podsOf(place);
      const ending = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      check(ending.length < 2, `${ending.length} end at the same time`);
      return pods.length === 1;
    });
    await untilReady(place.world, place, 60);
  });
}

const cacheOf = ({ namespace, name }: Place, upgrade: object): object => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name, namespace },
  spec: { replicas: 3, image: redisImages.before, upgrade, podTemplate: containerOf('cache') },
});

/** Row 2. */
async function stoppedCache(place: Place): Promise<void> {
  const { kubernetes, report } = place.world;
  await report.step('an image that can’t be pulled fails, and the upgrade stops', async () => {
    await kubernetes.apply(cacheOf(place, { gates: [], progressDeadline: '20s', onFailure: 'Stop' }));
    await untilReady(place.world, place, 120);
    await change(place, { image: 'docker.io/e2e/redis:nowhere' });
    await until('it has failed, and the template is back', 120, async () => {
      const set = await kubernetes.get('statefulset', place.name, place.namespace);
      const { template } = set.spec as { readonly template: Resource };
      return (await now(place)).status?.failedRevision !== undefined && tagOf(template) === '7';
    });
    const images = (await podsOf(place)).map(tagOf);
    check(images.filter((tag) => tag === '7').length === 2, images.join(' '));
  });
  await report.step('a healthy member that is lost then comes back as what ran', async () => {
    const healthy = (await podsOf(place)).find((pod) => tagOf(pod) === '7');
    check((await replaced(place, healthy?.metadata.name ?? '')) === '7', 'it came back as what had failed');
  });
}

/** Row 5. */
async function followersOnly(place: Place): Promise<void> {
  const { kubernetes, report } = place.world;
  const role = { exec: { command: ['sh', '-c', '[ $HOSTNAME = replicas-2 ] && echo master || echo replica'] } };
  await report.step(
    'a leader that no member takes over from: the status names what blocks, and the command',
    async () => {
      const handoff = { exec: { command: ['true'] } };
      const upgrade = { gates: [], order: 'LeaderLast', role: { ...role, leaderValue: 'master' }, handoff };
      await kubernetes.apply(cacheOf(place, upgrade));
      await untilReady(place.world, place, 120);
      await change(place, { image: redisImages.after });
      await until('the command is shown', 180, async () => (await commandOf(place)) !== undefined);
      check((await podsOf(place)).map(tagOf).join() === '8,8,7', 'the followers did not go first');
      return commandOf(place);
    },
  );
  await report.step('the command, typed, ends the upgrade', async () => {
    const [program, ...parameters] = ((await commandOf(place)) ?? '').split(' ');
    check(program === 'kubectl', `${String(program)} is no command of kubectl`);
    await kubernetes.kubectl(parameters);
    await untilRun(place, ['8', '8', '8']);
    await untilReady(place.world, place, 60);
  });
}

/** The command that the status shows for a leader that has handed over and leads all the same. */
async function commandOf(place: Place): Promise<string | undefined> {
  const { step, blockedBy, release } = ((await now(place)).status?.upgrade ?? {}) as Record<string, string | undefined>;
  return step === 'HandingOff' && blockedBy !== undefined ? release : undefined;
}
