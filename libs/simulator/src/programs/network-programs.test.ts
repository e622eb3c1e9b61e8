import { endpointSlices, nodes, pods, services } from '@ordinal/client';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, merge, object } from '../../test/objects.ts';
import { builtinProgram } from './builtin-programs.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ serviceAccounts: true, namespaces: ['other'] });
  cluster.images.otherwise = builtinProgram;
  await cluster.advance(1000);
});
afterEach(() => cluster.stop());

/** A pod with a server of `agnhost`, which is behind the Services that select `app: NAME`. */
async function serve(
  name: string,
  args: readonly string[],
  spec: object = {},
  ports: readonly object[] = [],
): Promise<void> {
  const containers = [{ name: 'main', image: 'agnhost:2', args, ports }];
  await create(
    cluster,
    pods,
    object('v1 Pod', name, { spec: { containers, ...spec } }, { labels: { app: name.split('-')[0] ?? '' } }),
  );
  await cluster.advance(2000);
}

async function service(name: string, spec: object): Promise<string> {
  await create(cluster, services, object('v1 Service', name, { spec }));
  await cluster.advance(100);
  return cluster.objects.find(services, 'default', name)?.spec?.clusterIP ?? '';
}

const ipOf = (name: string): string => cluster.objects.find(pods, 'default', name)?.status?.podIP ?? '';

let count = 0;

/** What a script in a pod of its own prints. */
async function printed(script: string, spec: object = {}): Promise<string> {
  count += 1;
  const name = `script-${count}`;
  const containers = [{ name: 'main', image: 'tools:1', command: ['sh', '-c', script] }];
  await create(cluster, pods, object('v1 Pod', name, { spec: { restartPolicy: 'Never', containers, ...spec } }));
  const isDone = (): boolean => cluster.objects.find(pods, 'default', name)?.status?.phase === 'Succeeded';
  await cluster.run({ until: isDone, maxVirtualMs: 600_000 });
  return cluster.client().pods.logs({ namespace: 'default', pod: name, container: 'main' });
}

const tenTimes = (command: string): string => `for i in $(seq 1 10); do ${command}; echo; done | sort -u`;

test('a Service leads a client to one pod as long as it asks for that, and to any without it', async () => {
  for (const name of ['web-1', 'web-2', 'web-3']) await serve(name, ['serve-hostname']);
  const ports = [{ port: 80, targetPort: 9376 }];
  const ip = await service('web', { selector: { app: 'web' }, ports, sessionAffinity: 'ClientIP' });
  expect(await printed(tenTimes(`curl -s --connect-timeout 2 http://${ip}/`))).toMatch(/^\n?web-\d\n$/);
  const timeout = { clientIP: { timeoutSeconds: 10 } };
  await merge(cluster, services, 'web', { spec: { sessionAffinityConfig: timeout } });
  expect((await printed(tenTimes('curl -s http://web/; sleep 20'))).trim().split('\n').length).toBeGreaterThan(1);
  await merge(cluster, services, 'web', { spec: { sessionAffinity: 'None', sessionAffinityConfig: null } });
  expect((await printed(tenTimes('curl -s http://web.default/'))).trim().split('\n').length).toBeGreaterThan(1);
});

test('a Service without a selector leads where its slices say, each port to its own', async () => {
  await serve('a', ['netexec', '--http-port', '8090', '--udp-port=-1']);
  await serve('b', ['netexec', '--http-port=9090']);
  const ip = await service('own', {
    ports: [
      { name: 'one', port: 80 },
      { name: 'two', port: 81 },
    ],
  });
  const slice = (name: string, pod: string, port: number): object => ({
    ...object(
      'discovery.k8s.io/v1 EndpointSlice',
      `own-${name}`,
      {},
      { labels: { 'kubernetes.io/service-name': 'own' } },
    ),
    addressType: 'IPv4',
    endpoints: [{ addresses: [ipOf(pod)] }],
    ports: [{ name, port }],
  });
  await create(cluster, endpointSlices, slice('one', 'a', 8090));
  await create(cluster, endpointSlices, slice('two', 'b', 9090));
  expect(await printed(`curl ${ip}:80/hostname; curl own:81/hostname; curl ${ip}:82 || echo " $?"`)).toBe(
    `abcurl: (7) Failed to connect: ${ip}:82\n 7\n`,
  );
});

test('a port belongs to a protocol, and packets reach what listens for them', async () => {
  await serve('echo', ['netexec', '--http-port', '80', '--udp-port', '80']);
  const both = [
    { name: 'tcp', port: 80 },
    { name: 'udp', port: 80, protocol: 'UDP' },
  ];
  const ip = await service('echo', { selector: { app: 'echo' }, ports: both });
  expect(
    await printed(
      `echo hostName | nc -v -u -w 2 ${ip} 80; echo; curl -s 'http://echo/dial?host=echo&port=80&protocol=udp&request=echo%20Hi'`,
    ),
  ).toBe('echo\n{"responses":["hi"]}\n');
  await merge(cluster, services, 'echo', { spec: { ports: both.slice(0, 1) } });
  expect(await printed(`echo hostName | nc -u ${ip} 80 || echo "$?"`)).toMatch(/Connection refused\n1\n$/);
});

test('a port of a node leads to a Service or a pod, and a pod may be on the network of its node', async () => {
  await serve('web', ['netexec'], { nodeName: 'node-1' }, [
    { containerPort: 8080, hostPort: 8000, hostIP: '127.0.0.1' },
  ]);
  await serve('own', ['netexec', '--http-port=9000'], { hostNetwork: true, nodeName: 'node-1' });
  const node = cluster.objects.find(nodes, '', 'node-1')?.status?.addresses?.[0]?.address ?? '';
  expect(ipOf('own')).toBe(node);
  await service('web', {
    type: 'NodePort',
    selector: { app: 'web' },
    ports: [{ port: 80, targetPort: 8080, nodePort: 30_080 }],
  });
  const ask = (url: string): string => `curl -s ${url}/hostname || echo none; echo`;
  expect(await printed(ask(`${node}:30080`) + '; ' + ask(`${node}:9000`) + '; ' + ask(`${node}:8000`))).toMatch(
    /^web\nnode-1\n.*none\n/s,
  );
  expect(await printed(ask('127.0.0.1:8000'), { hostNetwork: true, nodeName: 'node-1' })).toBe('web\n');
});

test('names are those of Services, of what is behind headless ones, and of pods with a subdomain', async () => {
  await serve('db-0', ['netexec'], { hostname: 'first', subdomain: 'db' }, [{ name: 'sql', containerPort: 8080 }]);
  await serve('db-1', ['netexec'], {}, [{ name: 'sql', containerPort: 8080 }]);
  const ports = [{ name: 'sql', port: 5432, targetPort: 'sql' }];
  await service('db', { clusterIP: 'None', selector: { app: 'db' }, ports });
  const ip = await service('web', { selector: { app: 'db' }, ports });
  await service('alias', { type: 'ExternalName', externalName: 'web.default.svc.cluster.local' });
  const second = ipOf('db-1');
  const zone = 'default.svc.cluster.local';
  const lines = async (script: string): Promise<readonly string[]> => (await printed(script)).trim().split('\n');
  expect(
    await lines(`dig +short web.${zone} A; dig +short +search web; dig +short web; dig +short first.db.${zone}`),
  ).toEqual([ip, ip, ipOf('db-0')]);
  expect(await lines(`dig +short db.${zone} | sort`)).toEqual([ipOf('db-0'), second].sort());
  expect(
    await lines(
      `dig +short _sql._tcp.web.${zone} SRV; dig +short _sql._tcp.db.${zone} SRV | sort; dig +short _sql._udp.web.${zone} SRV`,
    ),
  ).toEqual([
    `0 100 5432 web.${zone}.`,
    ...[`0 100 8080 first.db.${zone}.`, `0 100 8080 ${second.replaceAll('.', '-')}.db.${zone}.`].sort(),
  ]);
  expect(await lines(`dig +short -x ${ip}; dig +short -x ${ipOf('db-0')}; dig +short alias.${zone} CNAME`)).toEqual([
    `web.${zone}.`,
    `first.db.${zone}.`,
    `web.${zone}.`,
  ]);
  expect(
    await lines(`dig +noall +answer kubernetes.default.svc.cluster.local; nslookup none || getent hosts web`),
  ).toEqual([
    'kubernetes.default.svc.cluster.local.\t30\tIN\tA\t10.96.0.1',
    'Server:\t\t10.96.0.10',
    'Address:\t10.96.0.10:53',
    '',
    "** server can't find none: NXDOMAIN",
    `${ip.padEnd(15)}  web.${zone}`,
  ]);
  // At a headless Service the port is that of the pod: nothing stands between.
  expect(
    await printed('curl -s db:8080/hostname | grep -c . ; curl -s first.db:8080/hostname; curl -s db:5432'),
  ).toMatch(/^1\nfirstcurl: \(7\)/);
});

it.each([
  ['in its namespace', {}, 'curl -s web/hostname', 'web\n'],
  ['in another', { dnsConfig: { searches: ['none.example'] } }, 'curl -s web.default/hostname', 'web\n'],
  [
    'without the DNS of the cluster',
    { dnsPolicy: 'Default' },
    'curl web/hostname || echo $?',
    'curl: (6) Could not resolve host: web/hostname\n6\n',
  ],
  [
    'by an alias of its own',
    { hostAliases: [{ ip: '10.96.0.1', hostnames: ['api'] }] },
    'getent hosts api',
    '10.96.0.1        api\n',
  ],
  [
    'as its own configuration says',
    {
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.example'], options: [{ name: 'ndots', value: '2' }] },
    },
    'cat /etc/resolv.conf',
    'search a.example\nnameserver 1.1.1.1\noptions ndots:2\n',
  ],
])('a pod finds hosts %s', async (_, spec, script, expected) => {
  await serve('web', ['netexec', '--http-port=80']);
  await service('web', { selector: { app: 'web' }, ports: [{ port: 80 }] });
  expect(await printed(script, spec)).toBe(expected);
});

test('a guestbook of agnhost stores words in a primary and its replicas', async () => {
  await serve('primary', ['guestbook', '--http-port', '6379']);
  await service('agnhost-primary', { selector: { app: 'primary' }, ports: [{ port: 6379 }] });
  await serve('replica', ['guestbook', '--replicaof', 'agnhost-primary', '--http-port', '6379']);
  await service('agnhost-replica', { selector: { app: 'replica' }, ports: [{ port: 6379 }] });
  await serve('front', ['guestbook', '--backend-port', '6379']);
  const path = `http://${ipOf('front')}/guestbook?key=words&cmd`;
  expect(await printed(`curl -s '${path}=get'; curl -s '${path}=set&value=x'; curl -s '${path}=get'`)).toBe(
    '{"data":""}{"message":"Updated"}{"data":"x"}\n',
  );
});

test('porter of agnhost answers at each port with its variable, and nettest counts who has written to it', async () => {
  const env = [
    { name: 'SERVE_PORT_80', value: 'plain' },
    { name: 'SERVE_TLS_PORT_443', value: 'secret' },
  ];
  const containers = [{ name: 'main', image: 'agnhost:2', args: ['porter'], env }];
  await create(cluster, pods, object('v1 Pod', 'porter', { spec: { containers } }));
  await serve('nettest', ['nettest']);
  const [porter, net] = [ipOf('porter'), `${ipOf('nettest')}:8080`];
  expect(
    await printed(`curl -s ${porter}; curl -sk https://${porter}; curl -s http://${porter}:443 || echo " $?"`),
  ).toMatch(/^plainsecretcurl: \(7\).* 7\n$/s);
  expect(await printed(`wget -qO- --post-data='{"Source":"a"}' ${net}/write; wget -qO- ${net}/read`)).toContain(
    '"Received":{"a":1}',
  );
});

test('a log has the times of its lines, and shows those since a time', async () => {
  await serve('logs', ['logs-generator', '--log-lines-total', '10', '--run-duration', '20s'], {
    restartPolicy: 'Never',
  });
  await cluster.advance(15_000);
  const log = async (query: string): Promise<readonly string[]> => {
    const path = `/api/v1/namespaces/default/pods/logs/log?${query}`;
    const { body } = await cluster.transport().send({ method: 'GET', path });
    let text = '';
    for await (const chunk of body) text += new TextDecoder().decode(chunk);
    return text.trim().split('\n');
  };
  expect(await log('')).toHaveLength(9);
  expect(await log('sinceSeconds=5')).toHaveLength(3);
  expect(await log('sinceSeconds=1000&tailLines=2')).toHaveLength(2);
  const [line = ''] = await log('timestamps=true&tailLines=1');
  const time = line.split(' ')[0] ?? '';
  expect(new Date(time).toISOString()).toBe(time);
  expect(await log(`sinceTime=${time}`)).toHaveLength(1);
});
