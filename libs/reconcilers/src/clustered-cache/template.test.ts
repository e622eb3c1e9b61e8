import { previousTemplateAnnotation } from '../annotations.ts';
import { expect, test } from 'vitest';
import { cacheOf, childRevision, childrenOf } from '../../test/clustered-cache/seen.ts';
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

test('what all members have run once stays where a user has changed its StatefulSet by hand (S0.5)', () => {
  const cache = cacheOf({ image: 'cache:2', upgrade }, { status: { failedRevision, currentRevision: failedRevision } });
  const set = setWithWayBack();
  const changed = { spec: { containers: [{ name: 'cache', image: 'cache:broken' }] } };
  const drifted = set && { ...set, spec: { ...set.spec, template: changed } };
  expect(wantedTemplate(cache, drifted)).toMatchObject({ rollingBack: false, revision: failedRevision });
});

/** An upgrade of pods and image that could not be brought to the StatefulSet, where this runs in it. */
function neverWritten(image: string) {
  const next = cacheOf({ image: 'cache:3', upgrade, podTemplate: { metadata: { annotations: { team: 'b' } } } });
  const status = { failedRevision: childRevision(next), currentRevision: failedRevision, currentVersion: 'cache:2' };
  const set = setWithWayBack();
  const template = set?.spec.template;
  const containers = template?.spec?.containers.map((one) => (one.name === 'cache' ? { ...one, image } : one)) ?? [];
  const shown = template && { ...template, spec: { ...template.spec, containers } };
  return wantedTemplate({ ...next, status }, set && shown && { ...set, spec: { ...set.spec, template: shown } });
}

test('where the StatefulSet could never be written, what goes back is what all members run, not what it keeps', () => {
  expect(neverWritten('cache:2')).toMatchObject({ rollingBack: true, revision: failedRevision, image: 'cache:2' });
});

test('a rollback does not go to what a user has set in the StatefulSet by hand', () => {
  expect(neverWritten('cache:theirs')).toMatchObject({ rollingBack: true, image: 'cache:2' });
});
