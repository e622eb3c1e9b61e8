import { readFileSync } from 'node:fs';
import { createSecretKey, randomBytes } from 'node:crypto';
import { systemClock } from '@ordinal/client';
import type { Client, Clock } from '@ordinal/client';
import { leaseNamesOf, reservedNamespaces, sealSecretName, workSlots } from '@ordinal/constructs';
import { isSealed, probesThrough } from '@ordinal/lifecycle';
import { kinds as allKinds, recordedEnvironment } from '@ordinal/reconcilers';
import type { Logger, Manager } from '@ordinal/runtime';
import { createManager } from '@ordinal/runtime';
import type { TakeSlot } from '@ordinal/runtime/recording';
import { FlightRecorder } from '@ordinal/runtime/recording';
import type { ClientCertificates } from '@ordinal/runtime/webhooks';
import { Registry } from 'prom-client';
import type { OperatorSettings } from './configuration/settings.ts';
import type { Target } from './connection.ts';
import { connect } from './connection.ts';
import { newPassword } from './controllers.ts';
import { directHttp } from './direct-http.ts';
import { decidingOnly } from './dry-run/deciding-only.ts';
import { readOnlyProbes, readOnlyTransport } from './dry-run/read-only.ts';
import { declareMetrics } from './metrics.ts';
import type { OperatorMetrics } from './metrics.ts';
import { reachOutside } from './outside.ts';
import { openRecorder } from './recording/open-recorder.ts';
import { openTraces } from './recording/open-traces.ts';
import { SealKeyController } from './seals/key-controller.ts';
import { serveHealthAndMetrics } from './serve-probes.ts';
import { announceReady } from './startup/announce.ts';
import { checkInstallation } from './startup/check.ts';
import { reportingOversize } from './oversize.ts';
import type { OversizeOptions } from './oversize.ts';
import { isOurs, keepingOut } from './reserved.ts';
import { openWebhooks, withWebhooks } from './webhooks/open.ts';

/** What an operator runs on. */
export interface OperatorParts {
  readonly settings: OperatorSettings;
  readonly target: Target;
  readonly version: string;
  /** This process among its replicas. */
  readonly identity: string;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Milliseconds since the process began. */
  readonly sinceStart: () => number;
  /** The limit of the process's heap: the caches take no more than a quarter of it as JSON, which takes two to three times that in memory. */
  readonly heapBytes: number;
}

/** Something that was opened and has to be closed. */
type Close = () => Promise<unknown>;

/**
 * Runs the operator until the signal is aborted, and resolves when all work has come to its end and everything is closed.
 *
 * Rejects where it can't begin: a port that is taken. What is missing in the cluster, such as a CRD or a permission, is
 * said in the log, and readiness stays false until it is there.
 */
export async function runOperator(given: OperatorParts, signal: AbortSignal): Promise<void> {
  const closing: Close[] = [];
  const { dryRun } = given.settings;
  // A dry run takes part in nothing that others see.
  const parts = dryRun ? { ...given, settings: { ...given.settings, leaderElect: false, webhooks: false } } : given;
  try {
    const { manager, seals } = await assemble(parts, closing, signal);
    // Nothing is decided before it is known what of it the operator has written itself.
    await seals.ready(signal);
    void seals.run(signal);
    await manager.start(signal);
  } finally {
    await Promise.allSettled(closing.reverse().map((close) => close()));
  }
}

async function assemble(
  parts: OperatorParts,
  closing: Close[],
  signal: AbortSignal,
): Promise<{ readonly manager: Manager; readonly seals: SealKeyController }> {
  const { settings, target, log, version, sinceStart, clock = systemClock } = parts;
  const registry = new Registry();
  const metrics = declareMetrics(registry, settings);
  const userAgent = `ordinal-operator/${version}`;
  const recording = openRecorder({ ...parts, clock });
  closing.push(() => recording?.close() ?? Promise.resolve());
  const traces = await openTraces({ ...parts, clock });
  closing.push(() => traces?.close() ?? Promise.resolve());
  const recorder = recorderFor([recording, traces]);
  const { client, transport } = connect(target.server, {
    userAgent,
    metrics: metrics.client,
    through: (sent) => {
      const allowed = settings.dryRun ? readOnlyTransport(sent) : sent;
      return recorder?.transport(allowed) ?? allowed;
    },
  });
  const lease = connect(target.server, { userAgent: `${userAgent} (lease)` });
  const direct = directHttp({ allowedNetworks: settings.allowedNetworks });
  closing.push(
    () => transport.close(),
    () => lease.transport.close(),
    () => direct.close(),
  );
  const manager = manage(parts, { client, leaseClient: lease.client, metrics: metrics.manager });
  const outside = await reachOutside(settings, { client, clock, log, share: () => manager.share() });
  closing.push(() => outside.close());
  const anyProbes = probesThrough(client, direct.http);
  const probes = settings.dryRun ? readOnlyProbes(anyProbes) : anyProbes;
  const { concurrency, namespaces } = settings;
  const kinds = allKinds.filter(({ descriptor }) => settings.kinds.includes(descriptor.kind));
  const seals = new SealKeyController({
    client,
    clock,
    log,
    secret: { namespace: ownNamespace(settings, target), name: sealSecretName(settings.installation) },
    newKey: () => createSecretKey(randomBytes(32)),
    mistrusted: metrics.mistrusted,
    makesSecret: !settings.dryRun,
  });
  const environment = { ...outside, probes, seals, newPassword, metrics: metrics.cleanup, controller: { concurrency } };
  const reached = recorder ? recordedEnvironment(environment, recorder) : environment;
  const declared = kinds.flatMap((kind) => kind.controllers(reached));
  const definitions = recorder ? declared.map((definition) => recorder.controller(definition)) : declared;
  const reserved = reservedOf(settings);
  const oversize: OversizeOptions = {
    isOurs,
    isSealed: (object, descriptor) => isSealed(object, { seals, descriptor }),
  };
  const running = settings.dryRun
    ? decidingOnly(definitions, { log, reserved })
    : reportingOversize(keepingOut(reserved, definitions), oversize);
  for (const definition of running) manager.add(definition);
  metrics.observe({ manager, kinds, clock, startedAtMs: clock.now() - sinceStart() });
  const webhooks = metrics.webhooks
    ? await openWebhooks({
        client,
        clock,
        log,
        probes,
        seals,
        manager,
        metrics: metrics.webhooks,
        port: settings.webhookPort,
        ...clientsOf(settings),
        installation: { name: settings.installation, namespace: ownNamespace(settings, target) },
        reserved,
        kinds,
        ...(settings.shard === '' ? {} : { shard: settings.shard }),
      })
    : undefined;
  if (webhooks) {
    signal.addEventListener('abort', () => webhooks.endConnections(), { once: true });
    closing.push(() => webhooks.close());
  }
  const whole = withWebhooks(manager, webhooks);
  closing.push(...(await serveHealthAndMetrics(settings, { manager: whole, registry })));
  // Neither is awaited: an operator that lacks something works as far as it can.
  void announceReady({ manager: whole, clock, log, sinceStart }, signal);
  const installation = { name: settings.installation, namespace: ownNamespace(settings, target) };
  const { webhooks: servesWebhooks, leaderElect } = settings;
  const leaseNames = leaderElect ? leaseNamesOf(leaseNameOf(settings), settings.shareWork) : [];
  const needs = { ...installation, servesWebhooks, leaseNames };
  // It asks the API server by POST what the operator may do.
  if (!settings.dryRun) void checkInstallation({ client, definitions, namespaces, needs }, log);
  return { manager, seals };
}

/** What notes reconciles for all that take them in; undefined where nothing does. */
function recorderFor(given: readonly ({ readonly take: TakeSlot } | undefined)[]): FlightRecorder | undefined {
  const takers = given.filter((taker) => taker !== undefined);
  if (takers.length === 0) return undefined;
  return new FlightRecorder((slot) => {
    for (const { take } of takers) take(slot);
  });
}

/** Outside of a pod the operator has no namespace of its own: that of a kubeconfig is its user's. */
function reservedOf({ podNamespace, namespaces, reservedNamespaces: given }: OperatorSettings): readonly string[] {
  return reservedNamespaces({ namespace: podNamespace, watchNamespaces: namespaces, reservedNamespaces: given });
}

/** Who may ask the webhooks, where not everyone may. Throws where the authorities can't be read. */
function clientsOf(settings: OperatorSettings): { readonly clients?: ClientCertificates } {
  const { webhookClientCa: path, webhookClientNames: names } = settings;
  return path === '' ? {} : { clients: { authorities: readFileSync(path, 'utf8'), names } };
}

function ownNamespace({ podNamespace }: OperatorSettings, target: Target): string {
  return podNamespace === '' ? target.namespace : podNamespace;
}

/** The lease that the leader holds, or all replicas that share the work. */
function leaseNameOf({ leaseName, installation }: OperatorSettings): string {
  return leaseName === '' ? installation : leaseName;
}

function manage(
  { settings, target, identity, log, heapBytes, clock = systemClock }: OperatorParts,
  {
    client,
    leaseClient,
    metrics,
  }: { readonly client: Client; readonly leaseClient: Client; readonly metrics: OperatorMetrics['manager'] },
): Manager {
  const { leaseDuration: leaseMs, renewDeadline: renewDeadlineMs, retryPeriod: retryMs } = settings;
  const namespace = ownNamespace(settings, target);
  return createManager({
    client,
    clock,
    random: Math.random,
    name: 'ordinal.dev/operator',
    identity,
    logger: log,
    metrics,
    ...(settings.dryRun ? { events: { publish: () => undefined } } : {}),
    drainMs: settings.drainTimeout,
    // The webhooks judge by what the caches hold, and are closed after them.
    lingerMs: settings.webhooks ? settings.webhookShutdownDelay : 0,
    cacheLimits: { totalBytes: heapBytes / 4 },
    ...(settings.namespaces.length > 0 ? { namespaces: settings.namespaces } : {}),
    ...(settings.shard === '' ? {} : { shard: { labelSelector: settings.shard } }),
    ...(settings.leaderElect
      ? {
          leaderElection: {
            client: leaseClient,
            namespace,
            name: leaseNameOf(settings),
            slots: settings.shareWork ? workSlots : 1,
            leaseMs,
            renewDeadlineMs,
            retryMs,
          },
        }
      : {}),
  });
}
