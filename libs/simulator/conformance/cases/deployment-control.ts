import type { Case, Json, Session } from '../case.ts';
import type { Request } from '../world.ts';
import { deployment, paths } from './objects.ts';
import { until } from './until.ts';

const replicaSets = '/apis/apps/v1/namespaces/:ns/replicasets';

interface Set {
  readonly metadata: { readonly annotations?: Json };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

const setsIn = (body: Json): readonly Set[] => (body['items'] ?? []) as readonly Set[];
const sizeOf = (body: Json, image: string): number | undefined =>
  setsIn(body).find(({ spec }) => spec.template.spec.containers[0]?.image === image)?.spec.replicas;

/** Records each ReplicaSet by its image: how many pods it has, and its annotations. Their names have hashes of each world's own. */
async function recordSets(s: Session, title: string): Promise<void> {
  const { body } = await s.world.send({ method: 'GET', path: replicaSets.replaceAll(':ns', s.namespace) });
  const shown = setsIn(body as Json).map(({ metadata, spec }) => ({
    image: spec.template.spec.containers[0]?.image ?? '',
    replicas: spec.replicas,
    annotations: metadata.annotations,
  }));
  s.record(
    title,
    shown.sort((left, right) => (left.image < right.image ? -1 : 1)),
  );
}

const silently = (s: Session, request: Request) =>
  s.world.send({ ...request, path: request.path.replaceAll(':ns', s.namespace) });

const isProgress = ({ type }: Json): boolean => type === 'Progressing';

/** What Deployments do with their ReplicaSets: for worlds whose controllers run, and no kubelet. */
export const deploymentControlCases: readonly Case[] = [
  {
    name: 'deployments: one that is scaled and paused in the middle of a roll, and rolled back',
    async body(s) {
      const path = `${paths.deployments}/web`;
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
      const made = deployment('web', { replicas: 10, strategy });
      const image = (name: string) => ({
        spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
      });
      // What a reply shows of the status depends on how far the controllers are.
      const merged = (body: Json) =>
        silently(s, { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
      const reached = (name: string, size: number) => until(s, replicaSets, (_, body) => sizeOf(body, name) === size);
      await silently(s, { method: 'POST', path: paths.deployments, body: made });
      const first = ((made as { spec: Set['spec'] }).spec.template.spec.containers[0] ?? { image: '' }).image;
      await reached(first, 10);
      await merged({ metadata: { annotations: { team: 'a' } }, ...image('app:2') });
      await reached('app:2', 5);
      await recordSets(s, 'half a roll');
      await merged({ spec: { replicas: 30 } });
      await reached('app:2', 13);
      await recordSets(s, 'scaled up');
      await merged({ spec: { replicas: 3, paused: true } });
      await until(s, path, (_, body) =>
        ((body as { status?: { conditions?: readonly Json[] } }).status?.conditions ?? []).some(
          (each) => isProgress(each) && each['reason'] === 'DeploymentPaused',
        ),
      );
      await until(s, replicaSets, (_, body) => (sizeOf(body, first) ?? 0) + (sizeOf(body, 'app:2') ?? 0) === 6);
      await recordSets(s, 'scaled down, paused');
      await merged({ spec: { paused: false } });
      await merged(image(first));
      await until(s, replicaSets, (_, body) => sizeOf(body, first) === 3 && sizeOf(body, 'app:2') === 1);
      await recordSets(s, 'rolled back, as far as nothing is available');
      const { body } = await s.world.send({ method: 'GET', path: path.replaceAll(':ns', s.namespace) });
      s.record('the revision of the Deployment', (body as { metadata: { annotations: Json } }).metadata.annotations);
    },
  },
];
