import { configMaps, nodes, pods, secrets, services } from '@ordinal/client';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, merge, object } from '../../test/objects.ts';
import { builtinProgram, builtinProgramOnly } from './builtin-programs.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start();
  cluster.images.otherwise = builtinProgram;
});
afterEach(() => cluster.stop());

const pod = (container: object, spec: object = {}) =>
  object('v1 Pod', 'a', {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1', ...container }], ...spec },
  });
const named = (name: string, container: object, spec: object = {}) => {
  const made = pod(container, spec);
  return { ...made, metadata: { ...made.metadata, name } };
};
const state = (name = 'a') => cluster.objects.find(pods, 'default', name)?.status?.containerStatuses?.[0]?.state;

/** The pod's log, and the code that it ends with. */
const outcome = (container: object, spec: object = {}) => outcomeOf('a', container, spec);

async function outcomeOf(
  name: string,
  container: object,
  spec: object = {},
): Promise<readonly [text: string, exitCode: number | undefined]> {
  await create(cluster, pods, named(name, container, spec));
  await cluster.run({ until: () => state(name)?.terminated !== undefined, maxVirtualMs: 3_600_000 });
  return [await logOf(name), state(name)?.terminated?.exitCode];
}

const logOf = (name = 'a'): Promise<string> => textAt(`/api/v1/namespaces/default/pods/${name}/log`);

async function textAt(path: string): Promise<string> {
  const { body } = await cluster.transport().send({ method: 'GET', path });
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  return text;
}

const sh = (script: string): object => ({ command: ['sh', '-c', script], env: [{ name: 'N', value: '5' }] });

it.each([
  ['exit 3', '', 3],
  ['echo out; echo err >&2', 'out\nerr\n', 0],
  ['if [ $(expr $N % 2) -ne 0 ]; then echo odd; else echo even; fi', 'odd\n', 0],
  ['for i in 1 2 "3 4"; do echo "<$i>"; done | grep -v 2', '<1>\n<3 4>\n', 0],
  ['x=0; while [ $x -lt 3 ]; do x=$((x + 1)); [ $x -eq 2 ] && continue; echo $x; done', '1\n3\n', 0],
  [
    'echo b > /tmp/f; echo a >> /tmp/f; sort < /tmp/f; rm /tmp/f; cat /tmp/f || echo gone',
    "a\nb\ncat: can't open '/tmp/f': No such file or directory\ngone\n",
    0,
  ],
  ['set -e; false || true; ! true || false; echo never', '', 1],
  ['env | grep -E "^(N|NONE)="; echo ${NONE:-none} $(M=1 printenv M)', 'N=5\nnone 1\n', 0],
  ['(cd /tmp; touch x); ls /tmp; echo >/none/x', "x\nsh: can't create /none/x: nonexistent directory\n", 1],
  ["sh -c 'echo $1$0' a b; exec false; echo never", 'bsh\n', 1],
  ["printf 'a b c\nd e\n' > /tmp/f; awk '{print $1, $NF}' /tmp/f; wc -l /tmp/f | awk {'print $1'}", 'a c\nd e\n2\n', 0],
  [
    "echo a:b | awk -F: '/^a/ {print NR \"-\" $2}'; echo x | awk 'BEGIN {y}' || echo $?",
    "1-b\nawk: the simulation can't read the program 'BEGIN {y}'\n2\n",
    0,
  ],
  ['while true; do echo tick; sleep 20; done & sleep 50; exit 7', 'tick\ntick\ntick\n', 7],
])('runs %s', async (script, text, exitCode) => {
  expect(await outcome(sh(script))).toEqual([text, exitCode]);
});

async function warnings(): Promise<readonly string[]> {
  const { items } = JSON.parse(await textAt('/api/v1/namespaces/default/events')) as {
    readonly items: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  };
  return items.flatMap(({ type, reason, message }) => (type === 'Warning' ? [`${reason}: ${message}`] : []));
}

test.each([
  [sh('migrate --all || exit 1'), 'does not run its script: it has no command "migrate"'],
  [{ command: ['migrate', 'up'] }, 'has no program for its command "migrate up"'],
  [{}, 'has no program for its image'],
])(
  'what is not known of an image that is not known says so wherever it is looked at: %j',
  async (container, message) => {
    const warning = `the simulation ${message}`;
    expect(await outcome({ ...container, image: 'app:1' })).toEqual([`${warning}\n`, 0]);
    const { startedAt = '', finishedAt = '', ...terminated } = state()?.terminated ?? {};
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBe(1000);
    expect(terminated).toMatchObject({ reason: 'Completed', message: warning });
    expect(await warnings()).toEqual([`NotSimulated: Container main: ${warning}`]);
  },
);

test('with the programs alone, what is not known is not started', async () => {
  cluster.images.otherwise = builtinProgramOnly;
  expect(await outcome({ image: 'app:1' })).toEqual(['', 128]);
  expect(state()?.terminated).toMatchObject({
    reason: 'StartError',
    message: 'the simulation has no program for its image',
  });
});

test('a command that busybox does not have is not found, and one that is not known here is not run', async () => {
  expect(await outcome(sh('migrate || echo $?'))).toEqual(['sh: migrate: not found\n127\n', 0]);
  expect(await outcomeOf('b', sh('tr a b < /etc/hosts'))).toEqual([
    'the simulation does not run its script: it has no command "tr"\n',
    0,
  ]);
});

test('a container whose command its image does not have is not started', async () => {
  expect(await outcome({ command: ['migrate'] })).toEqual(['', 128]);
  expect(state()?.terminated).toMatchObject({ reason: 'StartError' });
  expect(await warnings()).toEqual([
    'Failed: Error: failed to create containerd task: exec: "migrate": executable file not found in $PATH',
  ]);
});

test('files of a node outlive the pod, and only pods of that node see them', async () => {
  const volumes = [{ name: 'data', hostPath: { path: '/tmp/data' } }];
  const on = (nodeName: string) => ({ volumes, nodeName });
  const container = (script: string) => ({ ...sh(script), volumeMounts: [{ name: 'data', mountPath: '/data' }] });
  const [one = '', other = ''] = cluster.objects.list(nodes).map(({ metadata }) => metadata.name);
  await outcome(container('touch /data/mark'), on(one));
  expect((await outcomeOf('b', container('ls /data'), on(one)))[0]).toBe('mark\n');
  expect((await outcomeOf('c', container('ls /data'), on(other)))[0]).toBe('');
});

test('a file of a node is a file in the pod, and stands in the place of the one that the kubelet writes', async () => {
  const volumes = [
    { name: 'hosts', hostPath: { path: '/etc/hosts', type: 'File' } },
    { name: 'mark', hostPath: { path: '/run/mark', type: 'FileOrCreate' } },
  ];
  const volumeMounts = [
    { name: 'hosts', mountPath: '/etc/hosts' },
    { name: 'mark', mountPath: '/mark' },
  ];
  const script = 'cat /etc/hosts; test -d /mark || echo x > /mark; cat /mark';
  expect(await outcome({ ...sh(script), volumeMounts }, { volumes, nodeName: 'node-2' })).toEqual([
    '127.0.0.1\tlocalhost\n127.0.1.1\tnode-2\nx\n',
    0,
  ]);
});

test('settings of the kernel are those that the pod asks for', async () => {
  const sysctls = [{ name: 'kernel.shm_rmid_forced', value: '1' }];
  const script = 'sysctl kernel.shm_rmid_forced; sysctl -n net.ipv4.tcp_syncookies; sysctl none';
  expect(await outcome(sh(script), { securityContext: { sysctls } })).toEqual([
    "kernel.shm_rmid_forced = 1\n1\nsysctl: error: 'none' is an unknown key\n",
    1,
  ]);
});

test('probes of TCP and gRPC reach a server at the ports where it listens, and fail at others', async () => {
  const probed = (name: string, readinessProbe: object) =>
    create(cluster, pods, named(name, { image: 'agnhost:2', args: ['grpc-health-checking'], readinessProbe }));
  await probed('well', { grpc: { port: 5000 } });
  await probed('wrong', { grpc: { port: 2333 } });
  await probed('tcp', { tcpSocket: { port: 8080 } });
  await probed('closed', { tcpSocket: { port: 81 } });
  await cluster.advance(30_000);
  const ready = cluster.objects
    .list(pods, 'default')
    .filter(({ status }) => status?.containerStatuses?.[0]?.ready === true);
  expect(ready.map(({ metadata }) => metadata.name).sort()).toEqual(['tcp', 'well']);
});

test('variables of commands are put in before they run', async () => {
  const container = { args: ['-c', 'echo $(N) $$(N)'], command: ['sh'], env: [{ name: 'N', value: '5' }] };
  expect(await outcome({ ...container, args: ['-c', "echo '$(N)'"] })).toEqual(['5\n', 0]);
});

test('a folder that is read-only is not written, and the script goes on', async () => {
  const container = { ...sh('echo a > /file; sleep 10; exit 3'), securityContext: { readOnlyRootFilesystem: true } };
  expect(await outcome(container)).toEqual(["sh: can't create /file: Read-only file system\n", 3]);
});

test('nc speaks with what listens at a Service, by the name that it has in the namespace, and at a port of a node', async () => {
  const serving = { image: 'agnhost:2', args: ['serve-hostname', '--http=false', '--tcp'] };
  const server = pod(serving, { restartPolicy: 'Always' });
  await create(cluster, pods, {
    ...server,
    metadata: { ...server.metadata, name: 'server', labels: { app: 'server' } },
  });
  const ports = [{ port: 80, targetPort: 9376, nodePort: 30_080 }];
  const spec = { type: 'NodePort', selector: { app: 'server' }, ports };
  await create(cluster, services, object('v1 Service', 'names', { spec }));
  await cluster.advance(10_000);
  const node = cluster.objects.list(nodes)[0]?.status?.addresses?.[0]?.address ?? '';
  const script = `echo | nc -w 2 names 80; echo; echo | nc ${node} 30080; nslookup none.such.svc || echo | nc names 81`;
  expect(await outcome(sh(script))).toEqual([
    "server\nserverServer:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n** server can't find none.such.svc: NXDOMAIN\n" +
      'nc: connect to names port 81 (tcp) failed: Connection refused\n',
    1,
  ]);
});

test('an image whose tag says so is not there', async () => {
  await create(cluster, pods, pod({ image: 'app:nonexistent' }));
  await cluster.advance(60_000);
  expect(state()?.waiting?.reason).toMatch(/ErrImagePull|ImagePullBackOff/);
});

test('an image that is known does what it does without a command', async () => {
  await create(cluster, pods, pod({ image: 'registry.example:5000/k8s/pause:3.10' }));
  await cluster.advance(3_600_000);
  expect(state()?.running).toBeDefined();
});

test('what a command does to a file decides what probes see', async () => {
  const readinessProbe = { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1, failureThreshold: 1 };
  await create(cluster, pods, pod({ ...sh('touch /tmp/ready; sleep 30; rm /tmp/ready; sleep 600'), readinessProbe }));
  const isReady = () => cluster.objects.find(pods, 'default', 'a')?.status?.containerStatuses?.[0]?.ready;
  await cluster.advance(10_000);
  expect(isReady()).toBe(true);
  await cluster.advance(30_000);
  expect(isReady()).toBe(false);
});

test('a volume shows what its ConfigMap, its Secret and its pod have now, with the permissions that it says', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'settings', { data: { one: '1', two: '2' } }));
  await create(
    cluster,
    secrets,
    object('v1 Secret', 'password', { data: { key: Buffer.from('secret').toString('base64') } }),
  );
  const mounts = ['settings', 'all'].map((name) => ({ name, mountPath: `/${name}` }));
  const sources = [
    { secret: { name: 'password', items: [{ key: 'key', path: 'deep/key', mode: 256 }] } },
    {
      downwardAPI: {
        items: [
          { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
          { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
        ],
      },
    },
  ];
  const script =
    'cat /settings/one /all/deep/key /all/labels /all/cpu; ls /settings; until grep -q new /settings/one; do sleep 1; done; cat /settings/one';
  const container = { ...sh(script), volumeMounts: mounts, resources: { limits: { cpu: '1.5' } } };
  const volumes = [
    { name: 'settings', configMap: { name: 'settings' } },
    { name: 'all', projected: { sources } },
  ];
  const body = pod(container, { volumes });
  await create(cluster, pods, { ...body, metadata: { ...body.metadata, labels: { a: 'b' } } });
  await cluster.advance(10_000);
  await merge(cluster, configMaps, 'settings', { data: { one: 'new' } });
  await cluster.run({ until: () => state()?.terminated !== undefined, maxVirtualMs: 60_000 });
  expect(await logOf()).toBe('1secreta="b"\n1500one\ntwo\nnew\n');
});

test('mounttest of agnhost says what permissions files have, and where they lie', async () => {
  const args = ['fs_type=/d', 'new_file_0660=/d/f', 'file_mode=/c/key', 'file_perm=/d/f'];
  const volumes = [
    { name: 'd', emptyDir: { medium: 'Memory' } },
    { name: 'c', configMap: { name: 'settings', defaultMode: 256 } },
  ];
  await create(cluster, configMaps, object('v1 ConfigMap', 'settings', { data: { key: '1' } }));
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const container = { image: 'agnhost:2', args: ['mounttest', ...args.map((arg) => `--${arg}`)], volumeMounts };
  const lines = [
    'mount type of "/d": tmpfs',
    'content of file "/d/f": mount-tester new file',
    '',
    'mode of file "/c/key": -r--------',
    'perms of file "/d/f": -rw-rw----',
    '',
  ];
  expect(await outcome(container, { volumes })).toEqual([lines.join('\n'), 0]);
});

test('a trap is run when the pod is deleted, and files on a volume are those of all its containers', async () => {
  const volumes = { volumes: [{ name: 'data', emptyDir: {} }] };
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const waits = {
    name: 'other',
    image: 'busybox',
    command: ['sh', '-c', 'until [ -f /data/end ]; do sleep 1; done; echo seen'],
    volumeMounts,
  };
  const main = {
    name: 'main',
    image: 'busybox',
    ...sh('trap "touch /data/end; sleep 5" TERM; while true; do sleep 1; done'),
    volumeMounts,
  };
  await create(cluster, pods, pod({}, { ...volumes, containers: [main, waits] }));
  await cluster.advance(10_000);
  const worker = cluster.process('default', 'a', 'other');
  void cluster.client()(pods).in('default').delete('a');
  await cluster.advance(1000);
  expect(worker?.view.volume('data').has('end')).toBe(true);
});
