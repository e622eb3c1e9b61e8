import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { manifest } from '../install.ts';
import { check, run, until } from '../kubernetes.ts';
import { redisImages } from '../redis.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'operate', 'failure-modes.md');

/** Every command that docs/operate/failure-modes.md gives for an incident, typed, on resources of the names that it uses. */
export async function failureModesScenario(world: World): Promise<void> {
  await world.report.scenario('The commands of docs/operate/failure-modes.md', () =>
    inNamespace(world, 'shop', (namespace) => typed(world, namespace)),
  );
}

async function typed(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  await report.step('the resources that the page speaks of', async () => {
    await kubernetes.apply(...resources(namespace));
    await untilReady(world, { kind: 'clusteredcache', name: 'sessions', namespace }, 90);
    await until('pods of the set', 60, async () => (await kubernetes.list('pods', namespace, 'app=search')).length > 0);
  });
  const commands = commandsOf(readFileSync(page, 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-page-'));
  try {
    const env = await environment(world, { namespace, folder });
    for (const command of commands)
      await report.step(command.split('\n')[0]?.slice(0, 110) ?? '', async () => {
        await run('bash', ['-euo', 'pipefail', '-c', command], { env });
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await kubernetes.kubectl(['apply', '--server-side', '-f', manifest]);
    // One of the commands deletes the webhooks' configuration; what is applied anew has no authority until the operator has put its own there.
    await until('the webhooks can be called again', 60, async () => {
      const path = '{range .webhooks[*]}{.clientConfig.caBundle}{"\\n"}{end}';
      const bundles = await kubernetes.kubectl([
        ...['get', 'validatingwebhookconfiguration', 'ordinal-operator', '-o', `jsonpath=${path}`],
      ]);
      return (
        bundles
          .split('\n')
          .slice(0, -1)
          .every((bundle) => bundle !== '') && bundles.includes('LS0t')
      );
    });
  }
  check(commands.length > 10, `only ${commands.length} commands were found`);
}

/** The commands of a page's shell blocks and those within its lines: one for each line, a loop as a whole, and whatever uses a variable with what sets it. */
function commandsOf(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
  const inLines = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`(kubectl [^` ]+ [^` ]+ [^`]+)`/g)].map(
    ([, command]) => command ?? '',
  );
  const inBlocks = blocks.flatMap((block) =>
    /^(for|[a-z]+=)/m.test(block) ? [block.trim()] : block.trim().split('\n'),
  );
  // Words in capitals stand for something that is found out before.
  return [...inBlocks, ...inLines].filter((command) => !/\b(POD|JOB|VERB|RESOURCE)\b/.test(command));
}

/** kubectl on the PATH, and this namespace as the one that is meant where none is named. */
async function environment(
  { kubernetes }: World,
  { namespace, folder }: { readonly namespace: string; readonly folder: string },
): Promise<NodeJS.ProcessEnv> {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(kubernetes.kubeconfig), { mode: 0o600 });
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PATH: [dirname(kubernetes.program), process.env['PATH']].join(delimiter),
  };
  await run('kubectl', ['config', 'set-context', '--current', `--namespace=${namespace}`], { env });
  return env;
}

function resources(namespace: string): readonly object[] {
  const redis = { command: ['redis-server', '--save', '', '--protected-mode', 'no'] };
  const of = (apiVersion: string, kind: string, name: string, spec: object): object => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec,
  });
  return [
    of('cache.my.domain/v1', 'ClusteredCache', 'sessions', {
      replicas: 3,
      image: redisImages.after,
      podTemplate: { spec: { terminationGracePeriodSeconds: 2, containers: [{ name: 'cache', ...redis }] } },
    }),
    of('kvstore.example.com/v1', 'KVStoreCluster', 'carts', {
      version: '8',
      replicas: 1,
      image: 'docker.io/e2e/redis',
      storage: { className: 'standard', size: '1Gi' },
      deletionPolicy: 'Delete',
      podTemplate: { spec: { terminationGracePeriodSeconds: 2, containers: [{ name: 'kvstore', ...redis }] } },
    }),
    of('statefulsets.example.com/v1alpha1', 'MonitoredStatefulSet', 'my-prod-db', {
      monitorEndpoint: `http://absent.${namespace}.svc:8080`,
      statefulSetSpec: {
        serviceName: 'search',
        replicas: 1,
        selector: { matchLabels: { app: 'search' } },
        template: {
          metadata: { labels: { app: 'search' } },
          spec: {
            terminationGracePeriodSeconds: 2,
            containers: [{ name: 'search', image: redisImages.after, ...redis }],
          },
        },
      },
    }),
    of('db.example.com/v1', 'CloudDatabase', 'orders', {
      engine: 'postgres',
      size: 'small',
      providerRef: { name: 'absent' },
    }),
  ];
}
