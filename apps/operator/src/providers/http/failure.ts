import type { ExternalErrorCode } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import type { OutsideReply } from './exchange.ts';

const codes: Readonly<Record<number, ExternalErrorCode>> = {
  400: 'Refused',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'Unsupported',
  409: 'Busy',
  422: 'Refused',
  429: 'RateLimited',
  501: 'Unsupported',
};

/** Whether the answer is a success. */
export function isSuccess({ status }: OutsideReply): boolean {
  return status >= 200 && status < 300;
}

/** What an answer that is no success means. A redirect is never followed, so it is a refusal. */
export function failureOf({ status, headers, body }: OutsideReply, what: string): ExternalError {
  const { code, message } = bodyOf(body);
  const kind =
    code === 'QuotaExceeded' ? 'QuotaExceeded' : (codes[status] ?? (status < 500 ? 'Refused' : 'Unavailable'));
  const seconds = Number(headers['retry-after']);
  const text = `${what}: HTTP ${status}${message === undefined ? '' : `: ${message}`}`;
  return new ExternalError(kind, text, {
    applied: status < 500 ? 'no' : 'unknown',
    ...(seconds > 0 ? { retryAfterMs: Math.min(seconds, 3_600) * 1_000 } : {}),
  });
}

function bodyOf(body: unknown): { readonly code?: string; readonly message?: string } {
  if (typeof body !== 'object' || body === null) return {};
  const code = 'code' in body && typeof body.code === 'string' ? { code: body.code } : {};
  const message = 'message' in body && typeof body.message === 'string' ? { message: body.message.slice(0, 500) } : {};
  return { ...code, ...message };
}
