import type { SectionMutations } from '../mutation.ts';
import { histories, lifecycle, src } from './folders.ts';
import { known } from './known.ts';

const set = `${src}/monitored-stateful-set`;

/** Mistakes in what seed 002 asks for. */
export const monitoredStatefulSet: SectionMutations = {
  section: '002',
  mutations: [
    {
      claim: 'a whole StatefulSetSpec',
      file: 'libs/api/src/generated/statefulsets.example.com/v1alpha1/monitoredstatefulset.ts',
      find: "shortNames: ['mss', 'databasecluster']",
      replace: "shortNames: ['databasecluster']",
    },
    {
      claim: 'not found is the end',
      file: `${set}/reconcile.ts`,
      find: 'if (seen === undefined) return awaitChange();',
      replace: "if (seen === undefined) throw new Error('gone');",
    },
    {
      claim: 'deletion first; without our finalizer',
      file: `${set}/observe.ts`,
      find: 'if (!hasFinalizer(set, monitoredSetFinalizer) || isPaused(set))',
      replace: 'if (isPaused(set))',
    },
    {
      claim: 'the finalizer `statefulsets',
      ...known('external', 'a set is registered before that is written down'),
      tests: histories('monitored-stateful-set'),
    },
    { claim: 'the StatefulSet exists', ...known('external', 'the StatefulSet is made once and forgotten') },
    { claim: 'register once', ...known('external', 'the finalizer of a set is never removed') },
    {
      claim: 'deregistered where and as',
      ...known('external', 'an entry is removed at the monitor that the spec names now'),
    },
    {
      claim: 'a failed clean-up keeps',
      ...known('external', 'a deletion that has failed counts as made'),
      tests: histories('monitored-stateful-set'),
    },
    {
      claim: 'deleting twice succeeds',
      file: 'apps/operator/src/providers/http/monitors.ts',
      find: 'if (!isSuccess(reply) && reply.status !== 404) throw failureOf(reply, `removing registration ${id}`);',
      replace: 'if (!isSuccess(reply)) throw failureOf(reply, `removing registration ${id}`);',
    },
    {
      claim: 'a crash between clean-up',
      ...known('external', 'the owner goes while its thing is still being deleted'),
      tests: histories('monitored-stateful-set'),
    },
    {
      claim: 'transient against permanent',
      file: `${set}/outcome.ts`,
      find: 'const message = `${call.verb}: ${error.code}: ${error.message}`;',
      replace: 'const message = `${call.verb}: ${error.message}`;',
    },
    {
      claim: 'the three `operator_',
      file: 'apps/operator/src/metrics.ts',
      find: 'failed: (kind, code) => errors.inc({ kind, error: code }),',
      replace: "failed: (kind) => errors.inc({ kind, error: 'any' }),",
    },
    {
      claim: 'alerts on stuck deletions',
      file: 'libs/constructs/src/install/monitoring.ts',
      find: 'max by (kind) (operator_terminating_resources_total) > 0',
      replace: 'max by (kind) (operator_terminating_resources) > 0',
    },
    {
      claim: 'the finalizer may be taken off by hand',
      file: `${set}/observe.ts`,
      find: 'if (!hasFinalizer(set, monitoredSetFinalizer) || isPaused(set))',
      replace: 'if (isPaused(set))',
    },
    { claim: 'long clean-up in a Job', ...known('external', 'a clean-up Job that fails counts as done') },
    {
      claim: 'a call ends after 5 seconds',
      file: 'apps/operator/src/providers/http/exchange.ts',
      find: 'timeoutMs = 5_000,',
      replace: 'timeoutMs = 25_000,',
    },
    {
      claim: 'a test of the whole deletion',
      file: `${lifecycle}/external-resource/delete.ts`,
      find: 'const calls = remaining.map((id) => deletion(seen, id));',
      replace: 'const calls = remaining.slice(0, 0).map((id) => deletion(seen, id));',
    },
    {
      claim: 'all of it at real services',
      file: 'apps/operator/src/providers/http/monitors.ts',
      find: "ask('PATCH', encodeURIComponent(id), { signal, body: { muted } });",
      replace: "ask('PATCH', encodeURIComponent(id), { signal, body: { muted: true } });",
    },
    {
      claim: 'endpoints are checked',
      file: 'apps/operator/src/providers/http/exchange.ts',
      find: 'checkEndpoint(url.href, policy);',
      replace: '',
    },
    {
      claim: '`POST {serviceName',
      file: 'apps/operator/src/providers/http/monitors.ts',
      find: "id: fields.text('monitorID'),",
      replace: "id: fields.text('monitorId'),",
    },
  ],
};
