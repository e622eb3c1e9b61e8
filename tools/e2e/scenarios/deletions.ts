import { check, until, type Resource } from '../kubernetes.ts';
import { plainCache } from '../plain-cache.ts';
import { refusalOf, senselessStore } from '../webhooks.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const kind = 'clusteredcache';

/** What users of a namespace do: write nonsense, and delete in every way. */
export async function deletionScenarios(world: World): Promise<void> {
  const { report } = world;
  await report.scenario('Webhooks refuse', () =>
    inNamespace(world, 'e2e-refusals', (namespace) => refusals(world, namespace)),
  );
  await report.scenario('Deletions come to their end', () =>
    inNamespace(world, 'e2e-deletions', (namespace) => deletions(world, namespace)),
  );
}

async function refusals({ kubernetes, report }: World, namespace: string): Promise<void> {
  await report.step('a spec that makes no sense, saying which field', async () => {
    const message = await refusalOf(() => kubernetes.apply(senselessStore(namespace)));
    check(message.includes('spec.canary.analysis.http.port') && message.includes('denied the request'), message);
  });
  await report.step('an author who may not create StatefulSets', async () => {
    const group = 'rbac.authorization.k8s.io';
    await kubernetes.apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'author', namespace } },
      {
        apiVersion: `${group}/v1`,
        kind: 'Role',
        metadata: { name: 'author', namespace },
        rules: [{ apiGroups: ['cache.my.domain'], resources: ['*'], verbs: ['*'] }],
      },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'author', namespace },
        roleRef: { apiGroup: group, kind: 'Role', name: 'author' },
        subjects: [{ kind: 'ServiceAccount', name: 'author', namespace }],
      },
    );
    const author = `--as=system:serviceaccount:${namespace}:author`;
    const cache = JSON.stringify(plainCache(namespace, 'shop'));
    const message = await refusalOf(() => kubernetes.kubectl(['create', author, '-f', '-'], cache));
    check(message.includes('may not create statefulsets'), message);
  });
}

async function deletions(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const childrenOf = async (name: string): Promise<readonly Resource[]> =>
    (
      await Promise.all(
        ['pods', 'statefulsets', 'services'].map((plural) =>
          kubernetes.list(plural, namespace, `app.kubernetes.io/instance=${name}`),
        ),
      )
    ).flat();
  for (const cascade of ['background', 'foreground', 'orphan'] as const) {
    await report.step(`kubectl delete --cascade=${cascade}`, async () => {
      await kubernetes.apply(plainCache(namespace, cascade));
      await untilReady(world, { kind, name: cascade, namespace }, 90);
      await kubernetes.kubectl(['delete', kind, cascade, '-n', namespace, `--cascade=${cascade}`, '--timeout=60s']);
      if (cascade === 'orphan') {
        const left = (await childrenOf(cascade)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        check(
          left.some((child) => child.kind === 'StatefulSet'),
          'the StatefulSet was not left',
        );
        await kubernetes.kubectl([
          'delete',
          'statefulset,service',
          '-n',
          namespace,
          '-l',
          `app.kubernetes.io/instance=${cascade}`,
        ]);
      }
      await until('its children are gone', 90, async () => (await childrenOf(cascade)).length === 0);
    });
  }
  await report.step('a namespace with everything in it', async () => {
    const place = `${namespace}-whole`;
    await kubernetes.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } });
    await kubernetes.apply(plainCache(place, 'shop'));
    await untilReady(world, { kind, name: 'shop', namespace: place }, 90);
    await kubernetes.kubectl(['delete', 'namespace', place, '--wait=false']);
    await until('the namespace is gone', 120, async () => (await kubernetes.find('namespace', place)) === undefined);
  });
}
