import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorPods, untilOperatorReady } from './install.ts';
import { check, until, type Kubernetes } from './kubernetes.ts';
import { plugin } from './plugin.ts';
import { operatorNamespace } from './world.ts';

const deployment = ['deployment/ordinal-operator', '-n', operatorNamespace];
/** A resource that a recording has to have. */
interface RecordedResource {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

const keySecret = 'recording-key';

/** The operator's flight recorder, while a scenario runs: each replica writes a recording, sealed with a key of this run. */
export class Recorder {
  readonly #kubernetes: Kubernetes;
  readonly #key = randomBytes(32);

  constructor(kubernetes: Kubernetes) {
    this.#kubernetes = kubernetes;
  }

  /** Starts the operator again, with its recorder. */
  async start(): Promise<string> {
    await this.#kubernetes.apply({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: keySecret, namespace: operatorNamespace } },
      data: { key: this.#key.toString('base64') },
    });
    const container = '/spec/template/spec/containers/0';
    const patch = [
      { op: 'add', path: `${container}/args/-`, value: '--record=/recordings/' },
      { op: 'add', path: `${container}/args/-`, value: '--record-key=/recording-key/key' },
      {
        ...{ op: 'add', path: `${container}/volumeMounts` },
        value: [
          { name: 'recordings', mountPath: '/recordings' },
          { name: 'key', mountPath: '/recording-key', readOnly: true },
        ],
      },
      {
        ...{ op: 'add', path: '/spec/template/spec/volumes' },
        value: [
          { name: 'recordings', emptyDir: {} },
          { name: 'key', secret: { secretName: keySecret } },
        ],
      },
    ];
    await this.#kubernetes.kubectl(['patch', ...deployment, '--type=json', '-p', JSON.stringify(patch)]);
    return await untilOperatorReady(this.#kubernetes);
  }

  /** Starts the operator as it was before. */
  async stop(): Promise<void> {
    await this.#kubernetes.kubectl(['rollout', 'undo', ...deployment]);
    await untilOperatorReady(this.#kubernetes);
    await this.#kubernetes.kubectl(['delete', 'secret', keySecret, '-n', operatorNamespace]);
  }

  /** Has the plugin decide again what the replicas have recorded. Throws where a decision is another one or can't be compared, and where one of these resources is in no recording. */
  async replay(resources: readonly RecordedResource[]): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'ordinal-recordings-'));
    try {
      // What waits is written within seconds, as the processor has time.
      return await until('what was recorded is whole, and is decided again', 120, () =>
        this.#replayIn(folder, resources),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #replayIn(folder: string, resources: readonly RecordedResource[]): Promise<string> {
    const key = join(folder, 'key');
    writeFileSync(key, this.#key);
    const sums = { reconciles: 0, same: 0, hidden: 0, passedOver: 0 };
    const missed = new Set(resources);
    for (const { metadata } of await operatorPods(this.#kubernetes)) {
      // A replica that has not led yet has recorded nothing.
      for (const [name, recording] of await this.#read(metadata.name)) {
        const file = join(folder, `${metadata.name}-${name}`);
        writeFileSync(file, recording);
        const given = [file, '--key', key, '-o', 'json'];
        const replayed = JSON.parse(await plugin(this.#kubernetes, ['replay', ...given])) as typeof sums;
        for (const field of ['reconciles', 'same', 'hidden', 'passedOver'] as const) sums[field] += replayed[field];
        for (const resource of missed) {
          const of = [`${resource.kind}/${resource.name}`, '-n', resource.namespace, '-f'];
          const text = await plugin(this.#kubernetes, ['history', ...of, ...given]);
          if ((JSON.parse(text) as { readonly entries: readonly unknown[] }).entries.length > 0)
            missed.delete(resource);
        }
      }
    }
    check(missed.size === 0, `not recorded: ${[...missed].map(({ name }) => name).join(', ')}`);
    check(sums.hidden === 0, `${sums.hidden} decisions rest on hidden values`);
    return `${sums.reconciles} reconciles, ${sums.same} decided again to the byte, ${sums.passedOver} ended from outside`;
  }

  /** The files of a replica's recording, by their names, as far as they are written. */
  async #read(pod: string): Promise<readonly (readonly [name: string, recording: Buffer])[]> {
    const program = `const fs = require('node:fs'); console.log(JSON.stringify(fs.readdirSync('/recordings').map((name) => [name, fs.readFileSync('/recordings/' + name, 'base64')])))`;
    const command = ['exec', '-n', operatorNamespace, pod, '--', '/usr/bin/node', '-e', program];
    const files = JSON.parse(await this.#kubernetes.kubectl(command)) as readonly (readonly [string, string])[];
    return files.map(([name, text]) => [name, Buffer.from(text, 'base64')]);
  }
}
