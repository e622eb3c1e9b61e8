import type { HttpHandler, TestCluster, SimulatedReply } from '@ordinal/simulator';

interface Review {
  readonly kind?: string;
  readonly response?: { readonly allowed: boolean; readonly status?: { readonly code?: number } };
}

/** What webhooks have answered in a world: by host, whether something was allowed, or with which status it was refused. */
export class VerdictTap {
  private readonly seen = new Set<string>();

  /** Each answer once, sorted: how often, and in which order clients ask, is chance. */
  get verdicts(): readonly string[] {
    return [...this.seen].sort();
  }

  /** Listens to the services that the test puts on the network from now on. */
  on(cluster: TestCluster): void {
    const { network } = cluster;
    const external = network.external.bind(network);
    network.external = (origin, handler) => external(origin, handler && this.heard(new URL(origin).host, handler));
  }

  private heard(host: string, handler: HttpHandler): HttpHandler {
    const note = (reply: SimulatedReply): SimulatedReply => {
      const text = typeof reply === 'number' ? '' : (reply.body ?? '');
      // Of whatever else it may be, this is not in it.
      const { response } = text.includes('"AdmissionReview"') ? (JSON.parse(text) as Review) : {};
      if (response) this.seen.add(`${host} ${response.allowed ? 'allows' : String(response.status?.code)}`);
      return reply;
    };
    return (request) => {
      const reply = handler(request);
      // What is there at once stays so: the simulated API server waits for nothing else.
      return reply instanceof Promise ? reply.then(note) : note(reply);
    };
  }
}
