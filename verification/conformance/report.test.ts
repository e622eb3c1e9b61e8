import { expect, test } from 'vitest';
import { lostOf, pageOf, report, tableByArea } from './report.ts';
import { belongsTo, keyOf, shardOf } from './tests.ts';

const named = (name: string, area: string, file: string) => ({ name, area, file });
const tests = [
  named('[sig-apps] Job runs', 'apps', 'job'),
  named('[sig-node] Pods start', 'common/node', 'pods'),
  named('[sig-node] Probes ask', 'common/node', 'container_probe'),
  named('[sig-node] Pods sleep', 'node', 'pods'),
];
const known = {
  passed: new Set(['[sig-node] Pods start']),
  notApplicable: new Map([['[sig-node] Probes ask', 'no program runs']]),
};
const reported = report(
  tests,
  [
    { name: '[sig-apps] Job runs', state: 'passed', seconds: 1 },
    {
      name: '[sig-node] Pods start',
      state: 'timedout',
      seconds: 20,
      message: 'k8s.io/kubernetes@v1.36.3/test/e2e/pods.go:7:\n A | b',
    },
  ],
  known,
);

test('each test has passed, failed with the place, or does not apply for a reason; one without a result has failed', () => {
  expect(reported.map(({ state, message }) => [state, message])).toEqual([
    ['passed', ''],
    ['failed', 'timedout: test/e2e/pods.go:7: A | b'],
    ['not applicable', 'no program runs'],
    ['failed', 'aborted: it was not run'],
  ]);
});

test('a test that was run counts as what it was, whatever the list says', () => {
  const [only] = report(tests.slice(2, 3), [{ name: '[sig-node] Probes ask', state: 'passed', seconds: 1 }], known);
  expect(only?.state).toBe('passed');
});

test('what passed before and fails now is found', () => {
  expect(lostOf(reported, known).map(({ name }) => name)).toEqual(['[sig-node] Pods start']);
});

test('the table counts by area', () => {
  expect(tableByArea(reported).split('\n').slice(2)).toEqual([
    '| apps | 1 | 1 | 0 | 0 |',
    '| common/node | 2 | 0 | 1 | 1 |',
    '| node | 1 | 0 | 1 | 0 |',
    '| all | 4 | 1 | 2 | 1 |',
  ]);
});

test('the text names each test by area, with the reason where it did not pass', () => {
  const page = pageOf(reported);
  expect(page).toContain('\n\napps\n\npassed: [sig-apps] Job runs\n\n');
  expect(page).toContain('failed: [sig-node] Pods start\n    timedout: test/e2e/pods.go:7: A | b\n');
});

test('a message says nothing of the machine', () => {
  const message = 'error running /home/a/bin/kubectl --server=http://127.0.0.1:1 --kubeconfig=/tmp/b create -f -';
  const [only] = report(
    tests.slice(0, 1),
    [{ name: '[sig-apps] Job runs', state: 'failed', seconds: 1, message }],
    known,
  );
  expect(only?.message).toBe('failed: error running kubectl create -f -');
});

test('an area is a SIG, a folder with all below it, or a file', () => {
  const names = (area: string) => tests.filter((each) => belongsTo(each, area)).map(({ name }) => name.slice(-5));
  expect(names('node')).toEqual(['start', 's ask', 'sleep']);
  expect(names('common')).toEqual(['start', 's ask']);
  expect(names('pods')).toEqual(['start', 'sleep']);
  expect(names('nod')).toEqual([]);
});

test('shards share the tests without a rest', () => {
  const shards = ['1/3', '2/3', '3/3'].map((text) => shardOf([1, 2, 3, 4], text));
  expect(shards).toEqual([[1, 4], [2], [3]]);
  for (const wrong of ['0/3', '4/3', '1', '']) expect(() => shardOf([1], wrong)).toThrow('--shard takes such as 1/4');
});

test('a test is the same in every version, however its labels are ordered', () => {
  expect(keyOf('[sig-node] Pods start [Conformance] [Slow]')).toBe(keyOf('[sig-node] Pods start [Slow] [Conformance]'));
  expect(keyOf('[sig-node] Pods start [Slow]')).not.toBe(keyOf('[sig-node] Pods sleep [Slow]'));
});
