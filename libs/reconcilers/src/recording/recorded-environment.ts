import type { ExternalSystem, ExternalView, Probes } from '@ordinal/lifecycle';
import type { FlightRecorder } from '@ordinal/runtime/recording';
import type { KindEnvironment } from '../kind.ts';

/** The questions that an environment is asked, as a recording names them. */
export const questions = {
  http: (
    { namespace, name }: Parameters<Probes['http']>[0],
    { method, scheme, port, path }: Parameters<Probes['http']>[1],
  ): string => `${scheme} ${namespace}/${name} ${method} ${port}${path}`,
  exec: (
    { namespace, name }: Parameters<Probes['exec']>[0],
    { container, command }: Parameters<Probes['exec']>[1],
  ): string => `exec ${namespace}/${name} ${container} ${command[0] ?? ''} (${command.length} words)`,
  monitor: (endpoint: string): string => `monitor ${endpoint}`,
  provider: (namespace: string | undefined): string => `provider ${namespace ?? 'default'}`,
  call: (where: string, verb: string, what: string): string => `${where} ${verb} ${what}`,
  password: 'password',
} as const;

/** What a recording says of a system before it is asked anything. */
export interface RecordedSystem {
  readonly account?: string;
  readonly traits: ExternalSystem<unknown, ExternalView>['traits'];
  readonly findsByName: boolean;
}

const systemOf = ({ traits, findByName }: ExternalSystem<never, ExternalView>): RecordedSystem => ({
  ...{ traits, findsByName: findByName !== undefined },
});

/** The same environment, whose answers are noted in the reconcile that asks. What is sent to a service is not noted, save names and IDs. */
export function recordedEnvironment(environment: KindEnvironment, recorder: FlightRecorder): KindEnvironment {
  const { probes, monitors, providers, newPassword } = environment;
  return {
    ...environment,
    probes: {
      http: (pod, check, options) =>
        recorder.answer(questions.http(pod, check), () => probes.http(pod, check, options)),
      exec: (pod, command, options) =>
        recorder.answer(questions.exec(pod, command), () => probes.exec(pod, command, options)),
    },
    monitors: {
      at(endpoint, token) {
        const of = questions.monitor(endpoint);
        return recordedSystem(
          of,
          recorder.answerNow(of, () => monitors.at(endpoint, token), systemOf),
          recorder,
        );
      },
    },
    providers: {
      resolve(description, namespace) {
        const of = questions.provider(namespace);
        const account = recorder.answerNow(
          of,
          () => providers.resolve(description, namespace),
          (resolved) => ({ account: resolved.account, ...systemOf(resolved.system) }),
        );
        return { ...account, system: recordedSystem(of, account.system, recorder) };
      },
    },
    newPassword: () => recorder.answerNow(questions.password, newPassword, (password) => ({ password })),
  };
}

function recordedSystem<Desired, View extends ExternalView>(
  where: string,
  system: ExternalSystem<Desired, View>,
  recorder: FlightRecorder,
): ExternalSystem<Desired, View> {
  const of = (verb: string, what: string) => questions.call(where, verb, what);
  const { findByName } = system;
  return {
    traits: system.traits,
    get: (id, signal) => recorder.answer(of('get', id), () => system.get(id, signal)),
    findByOwner: (owner, signal) => recorder.answer(of('findByOwner', owner), () => system.findByOwner(owner, signal)),
    ...(findByName && {
      findByName: (name, signal) =>
        recorder.answer(of('findByName', name), () => findByName.call(system, name, signal)),
    }),
    create: (request, signal) => recorder.answer(of('create', request.owner), () => system.create(request, signal)),
    update: (id, change, signal) => recorder.answer(of('update', id), () => system.update(id, change, signal)),
    delete: (request, signal) => recorder.answer(of('delete', request.id), () => system.delete(request, signal)),
  };
}
