/** An HTTP request that asks a pod something. */
export interface HttpCheck {
  readonly path: string;
  readonly port: number;
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly method: 'GET' | 'POST';
  /** Straight to the pod's IP, or through the API server's proxy. */
  readonly via: 'PodIP' | 'Proxy';
  /** The pod does something on it, whatever the method: a hand-off. */
  readonly changes?: true;
}

/** A command that asks a pod something. */
export interface ExecCheck {
  readonly command: readonly string[];
  readonly container: string;
}

/** A bound on one of a pod's metrics. */
export interface MetricCheck {
  readonly request: HttpCheck;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly max: number;
}

/** One way to ask a pod something, and how long it may take, in milliseconds. */
export type Check = { readonly timeoutMs: number } & (
  | { readonly kind: 'http'; readonly http: HttpCheck }
  | { readonly kind: 'exec'; readonly exec: ExecCheck }
  | { readonly kind: 'metric'; readonly metric: MetricCheck }
);

/** How long any pod may take to answer, in milliseconds, whatever its check says: for so long it keeps a place from others. */
export const maxAnswerMs = 60_000;

/** The pod that is asked. */
export interface PodAddress {
  readonly namespace: string;
  readonly name: string;
  /** Absent while the pod has none: it can't be asked straight then. */
  readonly ip?: string;
}

/** What came of asking. */
export interface Answer {
  /** Yes. Everything else is a no: a refusal, no reply in time, no connection. */
  readonly ok: boolean;
  /** What was said, or why nothing was, in a few words. */
  readonly message: string;
  /** No answer came: a no that may be the network's, and not the pod's. */
  readonly silent?: true;
  /** No pod was asked: too many questions were under way. It says nothing about the pod, and is never a yes. */
  readonly unasked?: true;
  /** There was an answer, and it says neither yes nor no: a command that is not there, a page that is no metrics. */
  readonly unusable?: true;
  /** The first line of what was said, for answers that are a word. */
  readonly word?: string;
}
