import type { Client, KubernetesObject, Pod, ResourceDescriptor } from '@ordinal/client';
import { deployments, podDisruptionBudgets, pods, services } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import { stringify } from 'yaml';
import type { Contents } from '../cluster/contents.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import type { OrdinalResource } from '../kinds.ts';
import { renderStatus } from '../status/render.ts';
import { statusView } from '../status/view.ts';
import { plain } from '../terminal/style.ts';
import { version } from '../version.ts';
import { explain, paragraphOf } from '../why/explain.ts';
import { redactedObject, redactedText } from './redact.ts';

/** What a report is made of. */
export interface ReportOptions {
  readonly client: Client;
  readonly namespace: string;
  /** The resources that it is about. */
  readonly resources: readonly OrdinalResource[];
  readonly contents: Contents;
  readonly operatorNamespace: string;
  /** How many lines of each log. */
  readonly tailLines: number;
  readonly now: number;
}

const yamlOf = (object: unknown): string => stringify(redactedObject(object));

/** The files of a report, by their names, and what could not be read. */
class Files {
  readonly texts = new Map<string, string>();
  readonly #missing: string[] = [];

  /** Adds what is read; what can't be is noted. */
  async add(name: string, read: () => Promise<string>): Promise<void> {
    try {
      this.texts.set(name, await read());
    } catch (error) {
      this.#missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Adds what could not be read. */
  close(unread: readonly string[]): ReadonlyMap<string, string> {
    const lines = [...unread, ...this.#missing].map((line) => `${line}\n`);
    if (lines.length > 0) this.texts.set('not-read.txt', redactedText(lines.join('')));
    return this.texts;
  }
}

/** The logs of a pod's containers, and of one that was restarted what it has logged before: why it ended stands there. */
async function logsOf(files: Files, { metadata, spec, status }: Pod, options: ReportOptions): Promise<void> {
  const { client, tailLines } = options;
  const { namespace = '', name } = metadata;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const restarted = new Set(statuses.filter(({ restartCount }) => restartCount > 0).map((each) => each.name));
  for (const { name: container } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    const read = (previous: boolean) => async (): Promise<string> =>
      redactedText(await client.pods.logs({ namespace, pod: name, container }, { tailLines, previous }));
    const file = `logs/${namespace}/${name}/${container}`;
    await files.add(`${file}.log`, read(false));
    if (restarted.has(container)) await files.add(`${file}.previous.log`, read(true));
  }
}

/** Which images a pod's containers run. */
const imagesOf = ({ metadata, spec, status }: Pod): object => ({
  pod: metadata.name,
  containers: spec?.containers.map(({ name, image }) => ({
    ...{ name, image },
    imageID: status?.containerStatuses?.find((each) => each.name === name)?.imageID,
  })),
});

/** The operator: its Deployment, its logs and its metrics. Resolves to its pods. */
async function addOperator(files: Files, options: ReportOptions): Promise<readonly Pod[]> {
  const { client, operatorNamespace: namespace } = options;
  const labelSelector = `app.kubernetes.io/name=${operatorName}`;
  let found: readonly Pod[] = [];
  await files.add('operator/pods.yaml', async () => {
    found = (await client(pods).namespace(namespace).list({ labelSelector })).items;
    if (found.length === 0)
      throw new Error(`there is no pod of the operator in namespace ${namespace}: see --operator-namespace`);
    return yamlOf(found);
  });
  await files.add('operator/deployments.yaml', async () =>
    yamlOf((await client(deployments).namespace(namespace).list({ labelSelector })).items),
  );
  for (const pod of found) {
    await logsOf(files, pod, options);
    const { name } = pod.metadata;
    for (const [file, port, path] of [
      ['metrics.txt', 8080, '/metrics'],
      ['readyz.txt', 8081, '/readyz'],
    ] as const) {
      const target = { kind: 'pods', namespace, name, port, path } as const;
      await files.add(`operator/${name}/${file}`, async () =>
        redactedText((await client.pods.proxy(target, { limitBytes: 16 << 20 })).body),
      );
    }
  }
  return found;
}

async function addResource(files: Files, resource: OrdinalResource, options: ReportOptions): Promise<void> {
  const around = surroundingsOf(resource, options.contents);
  const { now } = options;
  const folder = `resources/${resource.kind}-${resource.metadata.name}`;
  const members = around.members.map(({ object }) => object);
  const claims = around.members.flatMap(({ claims: of }) => of);
  const text = (lines: readonly string[]) => () => Promise.resolve(redactedText(`${lines.join('\n')}\n`));
  const objects = (name: string, all: readonly KubernetesObject[]) =>
    files.add(`${folder}/${name}.yaml`, () => Promise.resolve(yamlOf(all)));
  await files.add(`${folder}/status.txt`, text(renderStatus(statusView(around, now), { paint: plain, now })));
  await files.add(`${folder}/why.txt`, text([paragraphOf(explain(around, now), now)]));
  await objects('resource', [resource]);
  await objects('workload', around.set ? [around.set] : []);
  await objects('pods', [...members, ...around.jobPods]);
  await objects('claims', claims);
  await objects('jobs', around.jobs);
  await objects('events', around.events);
  for (const pod of [...members, ...around.jobPods]) await logsOf(files, pod, options);
}

/** Reads all that a report has, as files by their names. What can't be read is named in `not-read.txt`. Secrets are never read. */
export async function collectReport(options: ReportOptions): Promise<ReadonlyMap<string, string>> {
  const files = new Files();
  const { client, namespace, contents } = options;
  const others: readonly ResourceDescriptor[] = [services, podDisruptionBudgets];
  for (const descriptor of others)
    await files.add(`namespace/${descriptor.plural}.yaml`, async () =>
      yamlOf((await client(descriptor).namespace(namespace).list()).items),
    );
  for (const resource of options.resources) await addResource(files, resource, options);
  const operator = (await addOperator(files, options)).map(imagesOf);
  const server = await client.request('GET', '/version').catch(() => 'not read');
  await files.add('versions.yaml', () => Promise.resolve(yamlOf({ client: version, operator, server })));
  return files.close(contents.unread);
}
