import type { ServiceAccountTokenProjection } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../controllers/kinds.ts';

/** Issues a token of a pod's service account, which ends with the pod. */
export type IssueToken = (pod: LivePod, order: { readonly audience?: string; readonly seconds: number }) => string;

interface Kept {
  readonly token: string;
  /** When another one takes its place, in milliseconds. */
  readonly staleAt: number;
}

const hour = 3600;
/** A kubelet asks for another token when so much of the time of one is over. */
const fresh = 0.8;

/** The tokens that lie on volumes of pods. A volume shows the same one until it is to be replaced. */
export class VolumeTokens {
  private readonly issue: IssueToken;
  private readonly now: () => number;
  private readonly kept = new Map<string, Map<string, Kept>>();

  constructor(issue: IssueToken, now: () => number) {
    this.issue = issue;
    this.now = now;
  }

  /** The token of a source of a volume. */
  of(pod: LivePod, { audience, expirationSeconds: seconds = hour, path }: ServiceAccountTokenProjection): string {
    const own = this.kept.get(pod.metadata.uid) ?? new Map<string, Kept>();
    this.kept.set(pod.metadata.uid, own);
    const key = `${audience ?? ''} ${seconds} ${path}`;
    const known = own.get(key);
    if (known !== undefined && known.staleAt > this.now()) return known.token;
    const token = this.issue(pod, { seconds, ...(audience !== undefined && { audience }) });
    own.set(key, { token, staleAt: this.now() + seconds * fresh * 1000 });
    return token;
  }

  /** Forgets those of a pod. */
  discard(uid: string): void {
    this.kept.delete(uid);
  }
}
