/** How to go on after a failure: `backoff` retry later and ever more slowly; `wait` for a change by a user or of a resource; `terminal` never as it is. */
export type RetryClass = 'backoff' | 'wait' | 'terminal';

/** The API server's own account of a failure (`metav1.Status`). */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Success' | 'Failure';
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

/** What went wrong, to switch on. Each stands for the Status reason of the same name; `Unknown` for any other. */
export type ApiErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'Timeout'
  | 'ServerTimeout'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Unknown';

/** The API server answered, and refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: Status;
  readonly retry: RetryClass;

  constructor(status: Status, context: string) {
    super(`${context}: ${status.message ?? status.reason ?? `HTTP ${status.code}`}`);
    this.status = status;
    this.code = codeOf(status);
    this.retry = retryClassOf(this.code, status.code);
  }
}

/** No reply, or half of one: the request may or may not have been carried out. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** `ReplyTooLarge`: more came than the caller takes, and the connection was closed. */
  readonly code: 'ConnectionFailed' | 'TimedOut' | 'Aborted' | 'MalformedReply' | 'ReplyTooLarge';
  readonly retry: RetryClass = 'backoff';
  /** True where the server can't have seen the request, so that repeating it is safe whatever it does. */
  readonly unsent: boolean;

  constructor(
    code: TransportError['code'],
    message: string,
    options: { readonly cause?: unknown; readonly unsent?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.unsent = options.unsent ?? false;
  }
}

const byReason: ReadonlySet<string> = new Set<ApiErrorCode>([
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Expired',
  'Invalid',
  'Timeout',
  'ServerTimeout',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
]);

const byStatus: Readonly<Record<number, ApiErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const isCode = (reason: string): reason is ApiErrorCode => byReason.has(reason);

function codeOf(status: Status): ApiErrorCode {
  if (status.reason !== undefined && isCode(status.reason)) return status.reason;
  return byStatus[status.code] ?? 'Unknown';
}

function retryClassOf(code: ApiErrorCode, httpStatus: number): RetryClass {
  switch (code) {
    case 'Invalid':
    case 'BadRequest':
    case 'MethodNotAllowed':
    case 'NotAcceptable':
    case 'UnsupportedMediaType':
    case 'RequestEntityTooLarge':
      return 'terminal';
    case 'Forbidden':
    case 'Unauthorized':
      return 'wait';
    default:
      return httpStatus >= 400 && httpStatus < 500 && code === 'Unknown' ? 'terminal' : 'backoff';
  }
}

/** Whether the failure is an `ApiError` with this code. */
export function isApiError(error: unknown, ...codes: readonly ApiErrorCode[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));
}
