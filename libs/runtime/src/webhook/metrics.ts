/** How a webhook server counts; the names in Prometheus are those of controller-runtime. */
export interface WebhookMetrics {
  /** How many requests are being judged. */
  inFlight(path: string, requests: number): void;
  /** A request was answered with this HTTP status. */
  answered(path: string, code: number, seconds: number): void;
  /** A request was refused without a judgment, with this HTTP status: it was none, or too large, or came too slowly. */
  refused(code: number): void;
  /** A connection was ended: there were too many, or it was not one that may ask. */
  dropped(reason: 'too-many' | 'handshake' | 'client-name' | 'pipelined'): void;
}
