import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from '../kubernetes.ts';
import { monitorPod } from '../monitor.ts';
import { redisImages } from '../redis.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { cloudScenario } from './cloud.ts';
import { service } from '../service.ts';
import { postgresImage } from '../postgres.ts';

/** The kinds that stand for something outside: a registration at a monitor, a database in a server. */
export async function externalScenarios(world: World): Promise<void> {
  await world.report.scenario('MonitoredStatefulSet: a monitor that fails, hangs and forgets', () =>
    inNamespace(world, 'e2e-monitor', (namespace) => monitored(world, namespace)),
  );
  await world.report.scenario('CloudDatabase: PostgreSQL in a pod', () =>
    inNamespace(world, 'e2e-database', (namespace) => database(world, namespace)),
  );
  await cloudScenario(world);
}

async function monitored(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const kind = 'monitoredstatefulset';
  const command = async (word: string): Promise<readonly { monitorID: string }[]> =>
    (JSON.parse(await kubernetes.ask(namespace, 'monitor:8082', `/${word}`)) as { entries: { monitorID: string }[] })
      .entries;
  const oneEntry = async (): Promise<boolean> => (await command('entries')).length === 1;
  await report.step('the monitor runs in a pod, and it fails', async () => {
    await kubernetes.apply(...monitorPod(world, namespace));
    await until('it answers', 60, () => command('fails'));
  });
  await report.step('the pods run although the set can’t be registered, and the status says why', async () => {
    await kubernetes.apply(monitoredSet(namespace));
    await until('two pods are ready', 60, async () => {
      const { status } = await kubernetes.get(kind, 'web', namespace);
      return status?.readyReplicas === 2;
    });
    const ready = conditionOf(await kubernetes.get(kind, 'web', namespace), 'Ready');
    check(ready.status === 'False', 'it is Ready without a registration');
    check((await command('entries')).length === 0, 'it is registered at a monitor that fails');
    return ready.reason ?? '';
  });
  await report.step('registered once, after the monitor has hung and works again', async () => {
    await command('hangs');
    await sleep(6_000);
    await command('works');
    await untilReady(world, { kind, name: 'web', namespace }, 120);
    check(await oneEntry(), 'there is not one entry');
  });
  await report.step('registered again after the monitor has forgotten it', async () => {
    await command('forgets');
    await kubernetes.kubectl(['annotate', kind, 'web', '-n', namespace, 'ordinal.dev/reconcile-requested-at=now']);
    await until('there is one entry', 120, oneEntry);
  });
  await report.step('deleted while the monitor fails: held, and finished when it works', async () => {
    await command('fails');
    await kubernetes.kubectl(['delete', kind, 'web', '-n', namespace, '--wait=false']);
    await sleep(3_000);
    check((await kubernetes.find(kind, 'web', namespace)) !== undefined, 'it went without being taken off the monitor');
    await command('works');
    await until('it is gone', 120, async () => (await kubernetes.find(kind, 'web', namespace)) === undefined);
    check((await command('entries')).length === 0, 'the entry is left');
  });
}

function monitoredSet(namespace: string): object {
  return {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name: 'web', namespace },
    spec: {
      monitorEndpoint: `http://monitor.${namespace}.svc:8080`,
      statefulSetSpec: {
        serviceName: 'web',
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            terminationGracePeriodSeconds: 2,
            containers: [{ name: 'web', image: redisImages.after, command: ['redis-server', '--save', ''] }],
          },
        },
      },
    },
  };
}

const serverStart = `echo "$PASSWORD" > /tmp/password; b=/usr/lib/postgresql/17/bin
$b/initdb -D /tmp/data -U postgres --pwfile=/tmp/password --auth=scram-sha-256 --locale=C -E UTF8 --no-sync
echo 'host all all all scram-sha-256' >> /tmp/data/pg_hba.conf
exec $b/postgres -D /tmp/data -c 'listen_addresses=*' -c unix_socket_directories=/tmp`;

async function database(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const kind = 'clouddatabase';
  const place = { kind, name: 'orders', namespace };
  const sql = (connection: string, statement: string): Promise<string> =>
    kubernetes.exec(namespace, 'server', `${connection} /usr/lib/postgresql/17/bin/psql -Atc "${statement}"`);
  const asAdministrator = 'PGHOST=127.0.0.1 PGUSER=postgres PGDATABASE=postgres PGPASSWORD=$PASSWORD';
  await report.step('a PostgreSQL server runs in a pod', async () => {
    await kubernetes.apply(service(namespace, 'server', 5432), serverPod(namespace));
    await until('it answers', 90, () => sql(asAdministrator, 'select 1'));
  });
  const connection = await report.step('a database is made, and its Secret is what one connects with', async () => {
    await kubernetes.apply(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'provider', namespace },
        stringData: {
          provider: 'postgres',
          host: `server.${namespace}.svc`,
          username: 'postgres',
          password: 'for-this-run-only',
          sslMode: 'disable',
        },
      },
      {
        apiVersion: 'db.example.com/v1',
        kind: 'CloudDatabase',
        metadata: { name: 'orders', namespace },
        spec: { engine: 'postgres', size: 'small', providerRef: { name: 'provider' } },
      },
    );
    await untilReady(world, place, 90);
    const { data = {} } = await kubernetes.get('secret', 'orders-connection', namespace);
    const field = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
    return {
      host: field('host'),
      user: field('username'),
      password: field('password'),
      database: field('database'),
    };
  });
  const asApplication = `PGHOST=${connection.host} PGUSER=${connection.user} PGPASSWORD='${connection.password}' PGDATABASE=${connection.database}`;
  await report.step('the application writes and reads with it', async () => {
    await sql(asApplication, 'create table numbers as select generate_series(1, 100) as n');
    const sum = (await sql(asApplication, 'select sum(n) from numbers')).trim();
    check(sum === '5050', `the sum is ${sum}`);
  });
  await report.step('deleted, nothing of it is left in the server', async () => {
    await kubernetes.kubectl(['delete', kind, 'orders', '-n', namespace, '--timeout=90s']);
    const left = await sql(
      asAdministrator,
      `select count(*) from pg_database where datname = '${connection.database}'`,
    );
    check(left.trim() === '0', 'the database is left');
    const roles = await sql(asAdministrator, `select count(*) from pg_roles where rolname = '${connection.user}'`);
    check(roles.trim() === '0', 'the role is left');
  });
}

function serverPod(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'server', namespace, labels: { app: 'server' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsUser: 65534, runAsGroup: 65534 },
      containers: [
        {
          name: 'server',
          image: postgresImage,
          command: ['sh', '-c', serverStart],
          env: [{ name: 'PASSWORD', value: 'for-this-run-only' }],
        },
      ],
    },
  };
}
