import type { Client, Clock } from '@ordinal/client';
import { webhookNames, webhookPaths, webhookTimeouts, type Installation } from '@ordinal/constructs';
import type { DisruptionGate, NamespaceGate } from '@ordinal/reconcilers';
import type { Logger } from '@ordinal/runtime';
import { allow, CertificateController, reviewReply, serveWebhooks } from '@ordinal/runtime/webhooks';
import type {
  AdmissionRequest,
  ClientCertificates,
  Verdict,
  Webhook,
  WebhookMetrics,
  WebhookServer,
} from '@ordinal/runtime/webhooks';
import { admitResource } from './judge.ts';

/** What the operator's webhooks work with. */
export interface OperatorWebhooksOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly port: number;
  /** Who may ask. By default everybody who reaches the port. */
  readonly clients?: ClientCertificates;
  /** Its namespace is that of the certificate and of the Service in front. */
  readonly installation: Installation;
  readonly metrics?: WebhookMetrics;
  /** The namespaces in which no resources are kept. */
  readonly reserved: readonly string[];
  /** Absent where no ClusteredCaches are kept: then no pod is ever held back. */
  readonly disruption?: DisruptionGate;
  /** Absent where no KVStoreClusters are kept: then no namespace is ever kept. */
  readonly namespaces?: NamespaceGate;
}

/** Webhooks that are served, or will be as soon as there is a certificate. */
export interface OperatorWebhooks {
  /** Whether the API server can ask now. */
  serving(): boolean;
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
    async close() {
      stopping.abort(new Error('the operator stops'));
      await keeping;
      await (await server)?.close();
    },
  };
}

/** Judges requests that would take something away. */
export interface Gate {
  admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict>;
  /** The verdict on a request that was not judged: there are too many at a time, it is too late, or an error came of it. */
  undecided(request: AdmissionRequest, why: string): Verdict;
}

/**
 * The webhook of a gate; without a gate everything is allowed. `Ignore` is what the configuration says of an operator that does not answer. One that answers leaves it to
 * the gate what becomes of a request that it can't judge.
 */
function webhookOf(
  gate: Gate | undefined,
  { path, seconds, maxInFlight }: { readonly path: string; readonly seconds: number; readonly maxInFlight: number },
): Webhook {
  return {
    path,
    maxInFlight,
    failurePolicy: 'Ignore',
    timeoutMs: 1000 * seconds,
    undecided: (request, why) => gate?.undecided(request, why) ?? allow(),
    review: async (request, signal) => reviewReply(request.uid, (await gate?.admit(request, signal)) ?? allow()),
  };
}

/** The webhooks that are served, each with its verdict on what it can't judge. */
export function webhooksOf({
  client,
  reserved,
  disruption,
  namespaces,
}: Pick<OperatorWebhooksOptions, 'client' | 'reserved'> & {
  readonly disruption?: Gate;
  readonly namespaces?: Gate;
}): readonly Webhook[] {
  const validate: Webhook = {
    path: webhookPaths.validate,
    failurePolicy: 'Fail',
    timeoutMs: 1000 * webhookTimeouts.validate,
    review: async (request, signal) =>
      reviewReply(request.uid, await admitResource(request, { client, signal, reserved })),
  };
  return [
    validate,
    // Each eviction costs a read, and a whole node may be drained at once.
    webhookOf(disruption, {
      path: webhookPaths.disruption,
      seconds: webhookTimeouts.disruption,
      maxInFlight: 500,
    }),
    // Each deletion lists all that is in the namespace, and whoever writes there decides how much that is.
    webhookOf(namespaces, {
      path: webhookPaths.namespaces,
      seconds: webhookTimeouts.namespaces,
      maxInFlight: 2,
    }),
  ];
}
