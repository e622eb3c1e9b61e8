import type { KubernetesObject } from '@ordinal/client';

/** What the API server asks (`admission.k8s.io/v1`). */
export interface AdmissionRequest<T extends KubernetesObject = KubernetesObject> {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    /** What authenticators add, such as the scopes of a token. */
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The new object; null for DELETE. */
  readonly object: T | null;
  /** The old object; null for CREATE. */
  readonly oldObject: T | null;
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** What a webhook says. */
export type Verdict =
  | { readonly allowed: true; readonly warnings?: readonly string[] }
  | {
      readonly allowed: false;
      readonly message: string;
      /** The HTTP status that the user's request gets: 403 by default. 429 makes `kubectl drain` try again. */
      readonly code?: number;
      readonly reason?: string;
      readonly warnings?: readonly string[];
    };

/** The request, with no objection. */
export function allow(...warnings: readonly string[]): Verdict {
  return warnings.length === 0 ? { allowed: true } : { allowed: true, warnings };
}

/** The request, refused. */
export function deny(message: string, options: { readonly code?: number; readonly reason?: string } = {}): Verdict {
  return { allowed: false, message, ...options };
}

/** The reply that carries a verdict, and a patch where the webhook has changed the object. */
export function reviewReply(uid: string, verdict: Verdict, patch: readonly unknown[] = []): unknown {
  const refusal = verdict.allowed
    ? {}
    : {
        status: {
          code: verdict.code ?? 403,
          message: verdict.message,
          ...(verdict.reason !== undefined && { reason: verdict.reason }),
        },
      };
  const changes =
    verdict.allowed && patch.length > 0
      ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
      : {};
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: verdict.allowed,
      ...refusal,
      ...changes,
      ...(verdict.warnings !== undefined && { warnings: verdict.warnings }),
    },
  };
}
