import { expect, test } from 'vitest';
import { cacheOf, childRevision, childrenOf } from '../../test/clustered-cache/seen.ts';
import { previousTemplateAnnotation } from './names.ts';
import { wantedTemplate } from './template.ts';

const upgrade = { onFailure: 'Rollback' };
const [before, after] = [cacheOf({ upgrade }), cacheOf({ image: 'cache:2', upgrade })];
const [former, failedRevision] = [childRevision(before), childRevision(after)];

/** The StatefulSet as it runs what the spec asks for, with the way back that an upgrade has kept. */
function setWithWayBack() {
  const { set } = childrenOf(after);
  const previous = JSON.stringify(childrenOf(before).set?.spec.template);
  return set && { ...set, metadata: { ...set.metadata, annotations: { [previousTemplateAnnotation]: previous } } };
}

test.each<[string, object, boolean]>([
  ['goes back where members still ran the former one', { currentRevision: former, currentVersion: 'cache:1' }, true],
  ['stays where all members have run it once (S0.5)', { currentRevision: failedRevision }, false],
])('a template that has failed %s', (_what, status, rollingBack) => {
  const cache = cacheOf({ image: 'cache:2', upgrade }, { status: { failedRevision, ...status } });
  const revision = rollingBack ? former : failedRevision;
  expect(wantedTemplate(cache, setWithWayBack())).toMatchObject({ failed: true, rollingBack, revision });
});

test('what all members have run once stays where somebody has changed its StatefulSet by hand (S0.5)', () => {
  const cache = cacheOf({ image: 'cache:2', upgrade }, { status: { failedRevision, currentRevision: failedRevision } });
  const set = setWithWayBack();
  const changed = { spec: { containers: [{ name: 'cache', image: 'cache:broken' }] } };
  const drifted = set && { ...set, spec: { ...set.spec, template: changed } };
  expect(wantedTemplate(cache, drifted)).toMatchObject({ rollingBack: false, revision: failedRevision });
});

test('where the StatefulSet could never be written, what goes back is what all members run, not what it keeps', () => {
  const next = cacheOf({ image: 'cache:3', upgrade });
  const [ran, refused] = [failedRevision, childRevision(next)];
  const cache = cacheOf({ image: 'cache:3', upgrade }, { status: { failedRevision: refused, currentRevision: ran } });
  expect(wantedTemplate(cache, setWithWayBack())).toMatchObject({ rollingBack: true, revision: ran, image: 'cache:2' });
});
