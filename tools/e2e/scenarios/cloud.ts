import { check, until } from '../kubernetes.ts';
import { motoImage, motoPackages } from '../moto.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { service } from '../service.ts';

const kind = 'clouddatabase';

/** CloudDatabase at AWS RDS, as moto plays it. There is no database behind it: what is looked at are the requests to RDS and the Secret. */
export async function cloudScenario(world: World): Promise<void> {
  await world.report.scenario('CloudDatabase: AWS RDS, as moto plays it', async () => {
    if (!world.hasMoto) {
      world.report.skip('an instance is made and deleted', 'there was no pip to fetch moto with');
      return;
    }
    await inNamespace(world, 'e2e-cloud', (namespace) => instance(world, namespace));
  });
}

async function instance(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const instances = async (): Promise<readonly string[]> => {
    // The AWS signature is not checked by moto; the region stands in it.
    const line = `wget -qO- --header 'Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/rds/aws4_request, SignedHeaders=host, Signature=0' --post-data 'Action=DescribeDBInstances&Version=2014-10-31' http://127.0.0.1:5000/`;
    const xml = await kubernetes.exec(namespace, 'moto', line);
    return [...xml.matchAll(/<DBInstanceIdentifier>([^<]+)</g)].map(([, id]) => id ?? '');
  };
  await report.step('moto runs in a pod', async () => {
    await kubernetes.apply(service(namespace, 'moto', 5000), motoPod(namespace));
    await until('it answers', 90, async () => (await instances()).length === 0);
  });
  await report.step('an instance is made, once, and the Secret says where it is', async () => {
    await kubernetes.apply(...requested(namespace));
    await untilReady(world, { kind, name: 'orders', namespace }, 120);
    const found = await instances();
    check(found.length === 1, `instances: ${found.join(', ') || 'none'}`);
    const { data = {} } = await kubernetes.get('secret', 'orders-connection', namespace);
    const missing = ['host', 'port', 'username', 'password'].filter((key) => (data[key] ?? '') === '');
    check(missing.length === 0, `the Secret has no ${missing.join(', ')}`);
    const host = Buffer.from(data['host'] ?? '', 'base64').toString('utf8');
    check(host.startsWith(found[0] ?? ''), `the host ${host} is not that of ${found[0] ?? ''}`);
    return host;
  });
  await report.step('deleted, no instance is left', async () => {
    await kubernetes.kubectl(['delete', kind, 'orders', '-n', namespace, '--timeout=120s']);
    const left = await instances();
    check(left.length === 0, `left: ${left.join(', ')}`);
  });
}

function requested(namespace: string): readonly object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'account', namespace },
      stringData: {
        provider: 'rds',
        region: 'eu-west-1',
        accessKeyId: 'test',
        secretAccessKey: 'test',
        endpoint: `http://moto.${namespace}.svc:5000`,
        settleSeconds: '1',
      },
    },
    {
      apiVersion: 'db.example.com/v1',
      kind: 'CloudDatabase',
      metadata: { name: 'orders', namespace },
      spec: { engine: 'postgres', size: 'small', providerRef: { name: 'account' } },
    },
  ];
}

function motoPod(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'moto', namespace, labels: { app: 'moto' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      // Else the Service becomes MOTO_PORT, which moto takes for its own setting.
      enableServiceLinks: false,
      containers: [
        {
          name: 'moto',
          image: motoImage,
          env: [
            { name: 'PYTHONPATH', value: motoPackages },
            { name: 'PYTHONDONTWRITEBYTECODE', value: '1' },
          ],
        },
      ],
    },
  };
}
