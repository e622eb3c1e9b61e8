import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The jars with the software's own client, where Debian or the software's own archive lays them, for each program that uses one. */
const jars = {
  'ZookeeperLoad.java': '/usr/share/java/zookeeper.jar',
  'GaleraLoad.java': '/usr/share/java/mariadb-java-client.jar',
  'KafkaLoad.java': '/opt/kafka/libs/*.jar',
  'RabbitmqLoad.java': '/usr/share/java/amqp-client.jar /usr/share/java/slf4j-api.jar',
} as const;

const isJava = (program: Load['program']): program is keyof typeof jars => program in jars;

/** Whom a load writes to, and how. */
export interface Load {
  /** The file of its program in `pods`. */
  readonly program: 'load.ts' | 'etcd-load.ts' | 'nats-load.ts' | 'postgresql-load.ts' | keyof typeof jars;
  /** The resource whose three members it asks. */
  readonly name: string;
  /** The Service that governs them, where it has another name. */
  readonly service?: string;
  /** An image with Node, as the operator's, or with Java and the software's jar, as Debian lays them. */
  readonly image: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const pods = join(import.meta.dirname, 'pods');

/** A program with all that it imports, as one file. */
function bundled(program: string): string {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [join(pods, program)], bundle: true, write: false, minify: true },
    ...{ platform: 'node', format: 'esm', target: 'node22', external: ['pg-native'] },
    banner: { js: "import { createRequire as by } from 'node:module'; const require = by(import.meta.url);" },
  });
  return outputFiles[0]?.text ?? '';
}

/** How a program is run, and the files that it is run from. Java compiles its own. */
function runnable(program: Load['program']): { command: string[]; files: Readonly<Record<string, string>> } {
  if (!isJava(program))
    return { command: ['/usr/bin/node', '/scripts/load.mjs'], files: { 'load.mjs': bundled(program) } };
  const lines = [
    'set -- /usr/lib/jvm/*/bin/java',
    // The compiler, run so, knows no folders of jars.
    `jars=$(echo ${jars[program]} | tr ' ' ':')`,
    `"$1" -m jdk.compiler/com.sun.tools.javac.Main -cp "$jars" -d /tmp/load /scripts/*.java`,
    `exec "$1" -Xmx128m -XX:+UseSerialGC -cp "$jars:/tmp/load" ${program.replace('.java', '')}`,
  ];
  const files = ['PacedWrites.java', program].map((file) => [file, readFileSync(join(pods, file), 'utf8')] as const);
  return { command: ['sh', '-ec', lines.join('; ')], files: Object.fromEntries(files) };
}

/** A pod that writes 500 keys a second to the members of a resource, each until it is acknowledged, and its program. */
export function loadPodOf(
  namespace: string,
  { program, name, service = name, image, environment = {} }: Load,
): readonly object[] {
  const members = [0, 1, 2].map((ordinal) => `${name}-${ordinal}.${service}`).join(',');
  const { command, files } = runnable(program);
  const container = {
    ...{ name: 'load', image, command },
    env: Object.entries({ MEMBERS: members, ...environment }).map(([variable, value]) => ({ name: variable, value })),
    volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }],
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'load', namespace },
      data: files,
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'load', namespace },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        containers: [container],
        volumes: [{ name: 'scripts', configMap: { name: 'load' } }],
      },
    },
  ];
}
