import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Any object, as kubectl prints it. */
export interface Resource {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly data?: Readonly<Record<string, string>>;
}

/** JSON of a known shape, read where it is used. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what kubectl prints is read field by field, and a wrong field fails its step
type Fields = any;

/** A command that ended with an exit code. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Runs a program to its end and returns what it printed. Rejects with what it said where it fails. */
export function run(
  program: string,
  parameters: readonly string[],
  options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...parameters],
      { maxBuffer: 256 << 20, ...(options.env && { env: options.env }), ...(options.cwd && { cwd: options.cwd }) },
      (error, stdout, stderr) => {
        if (error)
          reject(
            new CommandFailed(
              `${program} ${parameters.slice(0, 6).join(' ')}: ${(stderr || stdout || error.message).trim()}`,
            ),
          );
        else resolve(stdout);
      },
    );
    // A program may end without having read; how it ended is what counts.
    child.stdin?.on('error', () => undefined).end(options.input ?? '');
  });
}

/** kubectl against one cluster. */
export class Kubernetes {
  /** kubectl. */
  readonly program: string;
  /** The file that says where the cluster is. */
  readonly kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.program = program;
    this.kubeconfig = kubeconfig;
  }

  /** `kubectl` with these parameters. */
  kubectl(parameters: readonly string[], input?: string): Promise<string> {
    return run(this.program, ['--kubeconfig', this.kubeconfig, ...parameters], input === undefined ? {} : { input });
  }

  async apply(...objects: readonly object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
  }

  /** The object, or undefined where there is none. */
  async find(kind: string, name: string, namespace = ''): Promise<Resource | undefined> {
    const text = await this.kubectl(['get', kind, name, ...inNamespace(namespace), '--ignore-not-found', '-o', 'json']);
    return text.trim() === '' ? undefined : (JSON.parse(text) as Resource);
  }

  async get(kind: string, name: string, namespace = ''): Promise<Resource> {
    const found = await this.find(kind, name, namespace);
    if (!found) throw new Error(`there is no ${kind} ${name} in ${namespace || 'the cluster'}`);
    return found;
  }

  async list(kind: string, namespace: string, selector = ''): Promise<readonly Resource[]> {
    const filter = selector === '' ? [] : ['-l', selector];
    const text = await this.kubectl(['get', kind, ...inNamespace(namespace), ...filter, '-o', 'json']);
    return (JSON.parse(text) as { readonly items: readonly Resource[] }).items;
  }

  /** Runs a shell line in a pod. */
  exec(namespace: string, pod: string, line: string): Promise<string> {
    return this.kubectl(['exec', '-n', namespace, pod, '--', 'sh', '-c', line]);
  }

  /** GET of a pod's HTTP server, through the API server. */
  ask(namespace: string, pod: string, path: string): Promise<string> {
    return this.kubectl(['get', '--raw', `/api/v1/namespaces/${namespace}/pods/${pod}/proxy${path}`]);
  }
}

const inNamespace = (namespace: string): string[] => (namespace === '' ? [] : ['-n', namespace]);

/** Asks until the answer is something, and returns it. What `probe` throws last, or returned as text last, is the reason when time is up. */
export async function until<T>(
  what: string,
  timeoutSeconds: number,
  probe: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  let problem = '';
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      problem = '';
    } catch (error) {
      problem = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutSeconds} s${problem}`);
    await sleep(150);
  }
}

/** Throws where it does not hold. */
export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** The condition of a resource's status. */
export function conditionOf(resource: Resource, type: string): { status?: string; reason?: string; message?: string } {
  const conditions = (resource.status?.conditions ?? []) as readonly { type: string; status: string }[];
  return conditions.find((condition) => condition.type === type) ?? {};
}
