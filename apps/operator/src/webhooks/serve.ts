import type { Client, Clock } from '@ordinal/client';
import { webhookNames, webhookPaths, webhookTimeouts, type Installation } from '@ordinal/constructs';
import type { Gate, GateName } from '@ordinal/reconcilers';
import type { Logger } from '@ordinal/runtime';
import { allow, CertificateController, reviewReply, serveWebhooks } from '@ordinal/runtime/webhooks';
import type { ClientCertificates, Verdict, Webhook, WebhookMetrics, WebhookServer } from '@ordinal/runtime/webhooks';
import { admitResource } from './judge.ts';

/** What the operator's webhooks work with. */
export interface OperatorWebhooksOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly port: number;
  /** Who may ask. By default everyone who reaches the port. */
  readonly clients?: ClientCertificates;
  /** Its namespace is that of the certificate and of the Service in front. */
  readonly installation: Installation;
  readonly metrics?: WebhookMetrics;
  /** The namespaces in which no resources are kept. */
  readonly reserved: readonly string[];
  readonly gates: Gates;
}

/** The gates of the kinds that are kept, by what they judge. Where there are none, everything is allowed. */
export type Gates = Readonly<Record<GateName, readonly Gate[]>>;

/** Webhooks that are served, or will be as soon as there is a certificate. */
export interface OperatorWebhooks {
  /** Whether the API server can ask now. */
  serving(): boolean;
  /** Ends each connection with its next answer from now on, and serves new ones. */
  endConnections(): void;
  close(): Promise<void>;
}

/**
 * Serves the webhooks with a certificate that all replicas share, kept in a Secret and trusted through the webhook configuration. Until there is one, it
 * is tried for again and again in the background; each failure is logged.
 */
export function serveOperatorWebhooks(options: OperatorWebhooksOptions): OperatorWebhooks {
  const { client, clock, log, port, metrics, clients } = options;
  const { name, namespace } = options.installation;
  const names = webhookNames(name);
  const host = `${names.service}.${namespace}.svc`;
  const certificates = new CertificateController({
    client,
    clock,
    logger: log,
    secret: { namespace, name: names.certificate },
    dnsNames: [host, `${host}.cluster.local`],
    configurations: { validating: [names.configuration] },
  });
  const stopping = new AbortController();
  let server: Promise<WebhookServer> | undefined;
  let listens = false;
  const keeping = certificates.run(stopping.signal, (certificate) => {
    if (server !== undefined) {
      void server.then((running) => running.useCertificate(certificate));
      return;
    }
    server = serveWebhooks({
      port,
      webhooks: webhooksOf(options),
      certificate,
      clock,
      logger: log,
      ...(metrics ? { metrics } : {}),
      ...(clients ? { clients } : {}),
    });
    server.then(
      () => (listens = true),
      (error: unknown) => log.error({ port, error: String(error) }, 'the webhooks can’t be served'),
    );
  });
  return {
    serving: () => listens,
    endConnections: () => void server?.then((running) => running.endConnections()).catch(() => undefined),
    async close() {
      stopping.abort(new Error('the operator stops'));
      await keeping;
      await (await server)?.close();
    },
  };
}

/** How many requests each gate judges at a time. */
const maxInFlight: Readonly<Record<GateName, number>> = {
  // Each costs several reads, and anyone who reaches the port can ask. Above it members are refused at once, and a drain asks again: a listener that is busy for longer than the API
  // server waits would let them through.
  disruption: 64,
  // Each deletion lists all that is in the namespace, and anyone who writes there decides how much that is.
  namespaces: 2,
};

/** One gate of several: what any of them refuses is refused, for the first one's reason. */
function everyGate(gates: readonly Gate[]): Gate {
  return {
    async admit(request, signal) {
      const verdicts = await Promise.all(gates.map((gate) => gate.admit(request, signal)));
      return together(verdicts);
    },
    undecided: (request, why) => together(gates.map((gate) => gate.undecided(request, why))),
  };
}

function together(verdicts: readonly Verdict[]): Verdict {
  const refusal = verdicts.find(({ allowed }) => !allowed);
  if (refusal) return refusal;
  const warnings = verdicts.flatMap((verdict) => (verdict.allowed ? (verdict.warnings ?? []) : []));
  return allow(...warnings);
}

/**
 * The webhook of the gates of this name. `Ignore` is what the configuration says of an operator that does not answer. One that answers leaves it to the gates what
 * becomes of a request that it can't judge.
 */
function webhookOf(name: GateName, gates: readonly Gate[]): Webhook {
  const gate = everyGate(gates);
  return {
    path: webhookPaths[name],
    maxInFlight: maxInFlight[name],
    failurePolicy: 'Ignore',
    timeoutMs: 1000 * webhookTimeouts[name],
    undecided: (request, why) => gate.undecided(request, why),
    review: async (request, signal) => reviewReply(request.uid, await gate.admit(request, signal)),
  };
}

/** The webhooks that are served, each with its verdict on what it can't judge. */
export function webhooksOf({
  client,
  reserved,
  gates,
}: Pick<OperatorWebhooksOptions, 'client' | 'reserved' | 'gates'>): readonly Webhook[] {
  const validate: Webhook = {
    path: webhookPaths.validate,
    failurePolicy: 'Fail',
    timeoutMs: 1000 * webhookTimeouts.validate,
    review: async (request, signal) =>
      reviewReply(request.uid, await admitResource(request, { client, signal, reserved })),
  };
  return [validate, webhookOf('disruption', gates.disruption), webhookOf('namespaces', gates.namespaces)];
}
