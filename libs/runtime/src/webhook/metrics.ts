/** How a webhook server counts; the names in Prometheus are those of controller-runtime. */
export interface WebhookMetrics {
  /** How many requests are being answered. */
  inFlight(path: string, requests: number): void;
  /** A request was answered with this HTTP status. */
  answered(path: string, code: number, seconds: number): void;
}
