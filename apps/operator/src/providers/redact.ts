import type { CreateRequest, ExternalSystem, ExternalView } from '@ordinal/lifecycle';
import { ExternalError, externalErrorOf } from '@ordinal/lifecycle';

/** Shorter texts are no secrets, and would be found everywhere. */
const shortestSecret = 4;

/** The text with every secret in it blotted out, however it was written into a URL or into JSON. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const written = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  return written.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text);
}

/**
 * The system, whose failures and details never repeat a secret that it was given: some services quote in their errors what they were sent, and an error
 * stands in conditions, events and logs. The cause is left out where it would tell.
 */
export function redacting<Desired extends object, View extends ExternalView>(
  system: ExternalSystem<Desired, View>,
  secrets: readonly string[],
): ExternalSystem<Desired, View> {
  const quietly = async <Reply>(call: () => Promise<Reply>, more: object = {}): Promise<Reply> => {
    const all = [...secrets, ...secretsOf(more)];
    try {
      return await call();
    } catch (cause) {
      throw quiet(externalErrorOf(cause), all);
    }
  };
  const shown = (view: View): View =>
    view.detail === undefined ? view : { ...view, detail: withoutSecrets(view.detail, secrets) };
  const { findByName } = system;
  return {
    traits: system.traits,
    get: (id, signal) => quietly(async () => mapped(await system.get(id, signal), shown)),
    findByOwner: (owner, signal) => quietly(async () => (await system.findByOwner(owner, signal)).map(shown)),
    ...(findByName && {
      findByName: (name, signal) => quietly(async () => mapped(await findByName.call(system, name, signal), shown)),
    }),
    create: (request: CreateRequest<Desired>, signal) =>
      quietly(async () => shown(await system.create(request, signal)), request.desired),
    update: (id, change, signal) => quietly(() => system.update(id, change, signal), change),
    delete: (request, signal) => quietly(() => system.delete(request, signal)),
  };
}

const mapped = <T>(value: T | undefined, change: (value: T) => T): T | undefined =>
  value === undefined ? undefined : change(value);

const secretsOf = (fields: object): readonly string[] =>
  'password' in fields && typeof fields.password === 'string' ? [fields.password] : [];

function quiet(error: ExternalError, secrets: readonly string[]): ExternalError {
  const { code, applied, retryAfterMs, cause } = error;
  const causeText = cause instanceof Error ? `${cause.message} ${cause.stack ?? ''}` : '';
  const isCauseQuiet = withoutSecrets(causeText, secrets) === causeText;
  const message = withoutSecrets(error.message, secrets);
  if (message === error.message && isCauseQuiet) return error;
  return new ExternalError(code, message, { applied, retryAfterMs, ...(isCauseQuiet ? { cause } : {}) });
}
