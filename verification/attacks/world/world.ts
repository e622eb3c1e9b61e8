import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, httpTransport, type Client, type KubernetesObject } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { webhookNames } from '@ordinal/constructs';
import type { OperatorInstallOptions, PolicyRule } from '@ordinal/constructs';
import { parse, stringify } from 'yaml';
import { installationOf } from './installation.ts';
import { OperatorProcess } from './operator-process.ts';
import { installation, planeVariable, type Plane } from './plane.ts';

/** What a world is made with. */
export interface WorldOptions {
  /** How the operator is installed; with its defaults unless given. */
  readonly install?: OperatorInstallOptions;
  /** Flags of the program, beside those that the installation sets. */
  readonly flags?: readonly string[];
  readonly heapMiB?: number;
  /** False: the manifests alone. */
  readonly operator?: boolean;
  /** What is done before anything else. */
  readonly prepare?: (plane: Plane) => void;
  /** What the administrator does when the manifests are applied and the operator has not begun. The world does not wait until it is ready then. */
  readonly before?: (admin: Client) => Promise<void>;
}

/** A cluster in which the operator is installed and runs. */
export interface World {
  readonly plane: Plane;
  /** The cluster's administrator. */
  readonly admin: Client;
  /** Anyone who holds the operator's token. */
  readonly asOperator: Client;
  readonly operator: OperatorProcess;
  /** A user, authenticated and without any right of its own. */
  as(user: string): Client;
  /** Gives a user rights in a namespace, which is created where it is missing. */
  allow(user: string, namespace: string, rules: readonly PolicyRule[]): Promise<void>;
  /** Applies any object, as the administrator. */
  apply(object: object): Promise<KubernetesObject>;
  stop(): Promise<void>;
}

const webhookConfiguration = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${webhookNames(installation.name).configuration}`;

/** Kinds that the simulated API server leaves out, and the one that would start the operator a second time. */
const notSimulated: ReadonlySet<string> = new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);

/** Installs the operator by its own manifests, and starts it under its own account. Resolves when it is ready. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const plane = givenPlane();
  options.prepare?.(plane);
  const transport = httpTransport(await kubeconfigServer({ text: plane.kubeconfig }));
  const admin = createClient({ transport, fieldManager: 'attacks' });
  for (const object of manifests(options.install ?? {}, plane)) await applied(admin, object);
  await options.before?.(admin);
  const kubeconfig = withToken(plane.kubeconfig, plane.operatorToken ?? (await tokenOf(admin)));
  const operatorTransport = httpTransport(await kubeconfigServer({ text: kubeconfig }));
  const operator = new OperatorProcess({
    plane,
    kubeconfig,
    namespace: installation.namespace,
    flags: options.flags ?? [],
    ...(options.heapMiB === undefined ? {} : { heapMiB: options.heapMiB }),
  });
  const world: World = {
    plane,
    admin,
    asOperator: createClient({ transport: operatorTransport, fieldManager: 'attacks' }),
    operator,
    as: (name) => admin.impersonate({ name, groups: ['system:authenticated'] }),
    allow: (user, namespace, rules) => allow(admin, { user, namespace, rules }),
    apply: (object) => applied(admin, object),
    async stop() {
      await operator.stop();
      // Asked of no operator, it would refuse what the next world begins with.
      await admin.request('DELETE', webhookConfiguration).catch(() => undefined);
      await operatorTransport.close();
      await transport.close();
    },
  };
  try {
    if (options.operator === false) await operator.stop();
    else if (!options.before) {
      await operator.untilReady();
      const { webhooks = true, watchNamespaces = [] } = options.install ?? {};
      if (webhooks && watchNamespaces.length === 0) await untilAsked(admin);
    }
    return world;
  } catch (error) {
    await world.stop();
    throw error;
  }
}

/** Resolves when the API server asks the webhooks: it takes notice of their configuration a little after it was stored. Nothing is written. */
async function untilAsked(admin: Client): Promise<void> {
  const body = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'senseless', namespace: 'default' },
    spec: {
      version: '1',
      replicas: 1,
      storage: { className: 'standard', size: '1Gi' },
      canary: { analysis: { http: { path: '/' } } },
    },
  };
  const path = '/apis/kvstore.example.com/v1/namespaces/default/kvstoreclusters?dryRun=All';
  const deadline = performance.now() + 30_000;
  for (;;) {
    const refusal = await admin.request('POST', path, { body }).then(() => '', String);
    if (refusal.includes('spec.canary.analysis.http.port')) return;
    if (performance.now() > deadline) throw new Error(`the webhooks were not asked: ${refusal}`);
    await pause(100);
  }
}

function givenPlane(): Plane {
  const file = process.env[planeVariable];
  if (file === undefined) throw new Error('start the attacks with `npm run attack`: it brings the API server');
  return JSON.parse(readFileSync(file, 'utf8')) as Plane; // Written by the run itself.
}

/** The installation's objects in the order in which they can be applied, with the Service of the webhooks led to the operator's process. */
function manifests(install: OperatorInstallOptions, plane: Plane): readonly KubernetesObject[] {
  const { service } = webhookNames(installation.name);
  return installationOf(plane.checkout, { ...installation, ...install })
    .filter(({ kind }) => kind !== 'Deployment' && (plane.kind === 'real' || !notSimulated.has(kind)))
    .map((object) => {
      if (object.kind === 'Service' && object.metadata.name === service) return ledToLoopback(object);
      if (object.kind === 'ValidatingWebhookConfiguration') return askedAt(object, plane.ports.webhooks);
      return object;
    });
}

/** There are no pods here: an API server goes to the external name of a Service that has one. */
function ledToLoopback(service: KubernetesObject): KubernetesObject {
  return { ...service, spec: { type: 'ExternalName', externalName: 'localhost' } } as KubernetesObject;
}

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: object } }[];
}

function askedAt(object: KubernetesObject, port: number): KubernetesObject {
  const configuration = object as Configuration;
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { service: { ...webhook.clientConfig.service, port } },
  }));
  return { ...configuration, webhooks } as KubernetesObject;
}

async function applied(client: Client, object: object): Promise<KubernetesObject> {
  const { apiVersion, kind, metadata } = object as KubernetesObject;
  const { namespace, name } = metadata;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${pluralOf(kind)}/${name}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // What an apply returns is the object.
      return (await client.request('PATCH', `${place}?fieldManager=attacks&force=true`, {
        body: object,
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })) as KubernetesObject;
    } catch (error) {
      // A definition is served a moment after it is stored.
      if (attempt === 20 || !String(error).includes('could not find the requested resource')) throw error;
      await pause(250);
    }
  }
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith('policy')) return `${lower.slice(0, -1)}ies`;
  return `${lower}s`;
}

async function tokenOf(admin: Client): Promise<string> {
  const { namespace, name } = installation;
  const reply = (await admin.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } },
  })) as { readonly status: { readonly token: string } };
  return reply.status.token;
}

function withToken(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig) as { readonly users: readonly { readonly name: string }[] };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

async function allow(
  admin: Client,
  {
    user,
    namespace,
    rules,
  }: { readonly user: string; readonly namespace: string; readonly rules: readonly PolicyRule[] },
): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  await applied(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const metadata = { name: `attack-${user}`, namespace };
  await applied(admin, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
  await applied(admin, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: metadata.name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  });
  await untilAllowed(admin, { user, namespace, rules });
}

/** Resolves when the API server knows of a right that was just given: its authorizer takes notice a little after the binding was stored. */
async function untilAllowed(
  admin: Client,
  {
    user,
    namespace,
    rules: [rule],
  }: { readonly user: string; readonly namespace: string; readonly rules: readonly PolicyRule[] },
): Promise<void> {
  if (rule === undefined) return;
  const [group = '', resource = '', verb = ''] = [rule.apiGroups[0], rule.resources[0], rule.verbs[0]];
  const [plural, subresource = ''] = resource.split('/');
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes: { namespace, group, resource: plural, subresource, verb } },
  };
  for (let look = 0; look < 100; look += 1) {
    const review = await admin.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body });
    if ((review as { readonly status: { readonly allowed: boolean } }).status.allowed) return;
    await pause(100);
  }
  throw new Error(`${user} may not ${verb} ${resource} in ${namespace} although a role says so`);
}
