import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorName, operatorUser, webhookNames } from '@ordinal/constructs';
import { administrator, kubeconfigOf, listen, SimulatedCluster } from '@ordinal/simulator';
import { startControlPlane } from '@ordinal/control-plane';
import type { HttpHandler } from '@ordinal/simulator';
import { issueClientCertificate, type ClientCertificate } from '../../../libs/runtime/test/client-certificate.ts';

/** The API server of the run, as each test process gets it. */
export interface Plane {
  readonly kind: 'real' | 'simulated';
  /** The text of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The token of the operator's service account, where the API server issues none itself. */
  readonly operatorToken?: string;
  /** Where the operator listens. */
  readonly ports: { readonly webhooks: number; readonly metrics: number; readonly health: number };
  /** The certificate that the API server presents to the operator's webhooks, whose common name is `apiServerName`. */
  readonly certificate: ClientCertificate;
  /** The checkout whose operator is attacked, with the manifests of that checkout. */
  readonly checkout: string;
}

const ownCheckout = join(import.meta.dirname, '../../..');

/** The installation that is attacked. */
export const installation = { name: operatorName, namespace: 'ordinal-system' } as const;

/** The common name in the certificate that the API server presents to webhooks. */
export const apiServerName = 'api-server';

/** The variable of the environment that names the file with the run's plane. */
export const planeVariable = 'ATTACK_PLANE_FILE';

/** An API server that runs. */
export interface StartedPlane {
  readonly plane: Plane;
  /** Why it is a simulated one; empty where it is real. */
  readonly why: string;
  readonly stop: () => Promise<void>;
}

type Given = Pick<Plane, 'ports' | 'certificate' | 'checkout'>;

/** Starts a real API server where one can be had, else a simulated one, to attack the operator of a checkout: of this one by default. */
export async function startPlane(checkout = ownCheckout): Promise<StartedPlane> {
  const [webhooks = 0, metrics = 0, health = 0] = await freePorts(3);
  const given = {
    ports: { webhooks, metrics, health },
    certificate: await issueClientCertificate(apiServerName),
    checkout,
  };
  if (process.env['ATTACK_PLANE'] === 'simulated') return await simulated(given, 'as ATTACK_PLANE says');
  const program = join(ownCheckout, 'tools/cluster/cluster');
  const directory = mkdtempSync(join(tmpdir(), 'ordinal-attacked-api-server-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const apiServerFlags = [
    // Some clusters have this plugin on: who sets an owner that is waited for needs a right on the owner's finalizers. The operator has to work there too.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    `--admission-control-config-file=${presented(given, directory)}`,
  ];
  const real = await startControlPlane({ environment: process.env, build: { program }, apiServerFlags });
  if ('skipped' in real) {
    remove();
    return await simulated(given, real.skipped);
  }
  const stop = async (): Promise<void> => {
    await real.stop();
    remove();
  };
  return { plane: { kind: 'real', kubeconfig: real.kubeconfig, ...given }, why: '', stop };
}

/** Writes the configuration by which an API server presents a certificate to the operator's webhooks, as docs/start/install.md describes it. Returns its path. */
function presented({ certificate: { cert, key }, ports }: Given, directory: string): string {
  const { service } = webhookNames(installation.name);
  const user = {
    'client-certificate-data': Buffer.from(cert).toString('base64'),
    'client-key-data': Buffer.from(key).toString('base64'),
  };
  const kubeConfigFile = join(directory, 'webhooks.json');
  // The port is left out where it is 443.
  const users = [{ name: `${service}.${installation.namespace}.svc:${ports.webhooks}`, user }];
  writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }), { mode: 0o600 });
  const configuration = {
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', kubeConfigFile },
  };
  const file = join(directory, 'admission.json');
  const plugins = [{ name: 'ValidatingAdmissionWebhook', configuration }];
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }),
  );
  return file;
}

async function simulated(given: Given, why: string): Promise<StartedPlane> {
  const cluster = await SimulatedCluster.start({ pace: 1, rbac: true, serviceAccounts: true, nodes: 1 });
  const { service } = webhookNames(installation.name);
  const host = `${service}.${installation.namespace}.svc`;
  const { webhooks } = given.ports;
  cluster.external(`https://${host}:${webhooks}`, forwardTo(webhooks, { host, certificate: given.certificate }));
  const user = operatorUser(installation);
  const accounts = ['system:serviceaccounts', `system:serviceaccounts:${installation.namespace}`];
  const listening = await listen(cluster, {
    tokens: {
      administrator,
      operator: { name: user, groups: [...accounts, 'system:authenticated'] },
    },
  });
  const running = cluster.keepRunning();
  return {
    plane: {
      kind: 'simulated',
      kubeconfig: kubeconfigOf({ server: listening.url, token: 'administrator' }),
      operatorToken: 'operator',
      ...given,
    },
    why,
    stop: async () => {
      await listening.close();
      cluster.stop();
      await running;
    },
  };
}

/** The Service in front of the operator's webhooks, as the simulated network knows it: what it gets goes to the loopback address. */
function forwardTo(
  port: number,
  { host, certificate }: { readonly host: string; readonly certificate: ClientCertificate },
): HttpHandler {
  return ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        // The simulated API server verifies no certificate here; a real one does.
        {
          host: '127.0.0.1',
          port,
          servername: host,
          cert: certificate.cert,
          key: certificate.key,
          method,
          path: url.pathname + url.search,
          headers,
          rejectUnauthorized: false,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/** Ports of the loopback address on which nothing listens. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  // The address of a TCP server that listens is never a string.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
